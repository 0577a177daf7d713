-- Schema 7: games that lists do not show while they run. They had an open seat for clients with the link.
ALTER TABLE games ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
UPDATE games SET listed = 0 WHERE status = 'unlisted';
