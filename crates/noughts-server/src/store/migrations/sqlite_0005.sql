-- Schema 5: registered players. The table that was called players is an index of the names at seats.
ALTER TABLE players RENAME TO seat_names;
-- The name of a registered player's seat is '\player ' and the player's id. Only such rows are ever running.
ALTER TABLE seat_names ADD COLUMN is_running INTEGER NOT NULL DEFAULT 0;
CREATE INDEX seat_names_running ON seat_names (name, created_ms, game) WHERE is_running;

CREATE TABLE players (
    id         BLOB    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    is_bot     INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    checked_ms INTEGER NOT NULL              -- when the player was last found to have games
) WITHOUT ROWID;
CREATE INDEX players_by_check ON players (checked_ms);

-- The SHA-256 hashes of players' tokens: one per device.
CREATE TABLE player_tokens (
    hash   BLOB NOT NULL PRIMARY KEY,
    player BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX player_tokens_by_player ON player_tokens (player);

-- The SHA-256 hashes of codes that link another device. A code works once.
CREATE TABLE player_links (
    hash       BLOB    NOT NULL PRIMARY KEY,
    player     BLOB    NOT NULL,
    expires_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX player_links_by_player ON player_links (player);
