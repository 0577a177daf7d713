-- Ids are 16 bytes, times milliseconds since 1970. Rows are only ever added, but for what the lists
-- are made from: a game's status, and how it ended.

CREATE TABLE games (
    id         BYTEA   NOT NULL PRIMARY KEY,
    variant    TEXT    NOT NULL,             -- 'multi@4'
    family     TEXT    NOT NULL,             -- what it is listed under: 'multi'
    row_length INTEGER NOT NULL,             -- what the second number of a move counts to
    history    INTEGER NOT NULL,
    start      TEXT,                         -- a position, where it is not the variant's first
    holders    TEXT    NOT NULL,             -- one seat a line: 'human Ann', 'robot perfect', 'open link'
    created_ms BIGINT  NOT NULL,
    key        TEXT    UNIQUE,
    body       BIGINT,
    status     TEXT    NOT NULL,             -- 'unlisted', 'waiting', 'playing', 'over'
    tied       BOOLEAN NOT NULL,             -- whether a seat ends with a process
    ended_ms   BIGINT,
    conclusion TEXT                          -- 'won x by line 0 4 8'
);

-- The pages of the lobby and the archive, by their keys.
CREATE INDEX games_by_status ON games (status, created_ms, id);
CREATE INDEX games_by_family ON games (family, status, created_ms, id);
CREATE INDEX games_tied ON games (id) WHERE tied AND ended_ms IS NULL;

-- Names in the order of their bytes, which is the same everywhere.
CREATE TABLE players (
    name       TEXT   NOT NULL COLLATE "C",
    created_ms BIGINT NOT NULL,
    game       BYTEA  NOT NULL,
    family     TEXT   NOT NULL,
    PRIMARY KEY (name, created_ms, game)
);

-- Who took an open seat.
CREATE TABLE sittings (
    game   BYTEA    NOT NULL,
    seat   SMALLINT NOT NULL,
    holder TEXT     NOT NULL,
    key    TEXT,
    body   BIGINT,
    PRIMARY KEY (game, seat)
);

-- That seats left stands where the next turn would, with no seat: so the same key decides between
-- the two.
CREATE TABLE turns (
    game   BYTEA    NOT NULL,
    number INTEGER  NOT NULL,                -- from 1
    seat   SMALLINT,
    action TEXT     NOT NULL,                -- '1-0', '<<2', 'resign', 'left 0'
    at_ms  BIGINT   NOT NULL,
    key    TEXT,
    body   BIGINT,
    PRIMARY KEY (game, number)
);

CREATE UNIQUE INDEX turns_by_key ON turns (game, seat, key) WHERE key IS NOT NULL;

-- Who wants to play again, and what came of it.
CREATE TABLE wishes (
    game BYTEA    NOT NULL,
    seat SMALLINT NOT NULL,
    PRIMARY KEY (game, seat)
);

CREATE TABLE rematches (
    game BYTEA NOT NULL PRIMARY KEY,
    next BYTEA NOT NULL
);

CREATE TABLE analyses (
    game     BYTEA NOT NULL PRIMARY KEY,
    analysis TEXT  NOT NULL
);

-- The processes that said that they live, and until when that holds by this database's clock.
CREATE TABLE nodes (
    node     TEXT   NOT NULL PRIMARY KEY,
    until_ms BIGINT NOT NULL
);

-- 244 bits of the database's strong randomness.
CREATE TABLE secrets (secret BYTEA NOT NULL);
INSERT INTO secrets VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
