-- Schema 5: registered players. The table that was called players is an index of the names at seats.
ALTER TABLE players RENAME TO seat_names;
ALTER INDEX players_pkey RENAME TO seat_names_pkey;
-- The name of a registered player's seat is '\player ' and the player's id. Only such rows are ever running.
ALTER TABLE seat_names ADD COLUMN is_running BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX seat_names_running ON seat_names (name, created_ms, game) WHERE is_running;

CREATE TABLE players (
    id         BYTEA   NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    is_bot     BOOLEAN NOT NULL,
    created_ms BIGINT  NOT NULL,
    checked_ms BIGINT  NOT NULL              -- when the player was last found to have games
);
CREATE INDEX players_by_check ON players (checked_ms);

-- The SHA-256 hashes of players' tokens: one per device.
CREATE TABLE player_tokens (
    hash   BYTEA NOT NULL PRIMARY KEY,
    player BYTEA NOT NULL
);
CREATE INDEX player_tokens_by_player ON player_tokens (player);

-- The SHA-256 hashes of codes that link another device. A code works once.
CREATE TABLE player_links (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    player     BYTEA  NOT NULL,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX player_links_by_player ON player_links (player);

-- A quick match belongs to no node, because its player may be connected to any node.
ALTER TABLE waiting ALTER COLUMN node DROP NOT NULL;
ALTER TABLE waiting ADD COLUMN clock TEXT;   -- '180+2'; NULL without a clock

-- Quick matches that found an opponent. They can be read for ten minutes.
CREATE TABLE quick_matches (
    id     BYTEA    NOT NULL PRIMARY KEY,
    player BYTEA    NOT NULL,
    game   BYTEA    NOT NULL,
    seat   SMALLINT NOT NULL,
    at_ms  BIGINT   NOT NULL
);
CREATE INDEX quick_matches_by_time ON quick_matches (at_ms);
