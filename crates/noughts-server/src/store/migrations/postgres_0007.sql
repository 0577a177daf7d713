-- Schema 7: games that lists do not show while they run. They had an open seat for clients with the link.
ALTER TABLE games ADD COLUMN listed BOOLEAN NOT NULL DEFAULT TRUE;
UPDATE games SET listed = FALSE WHERE status = 'unlisted';
