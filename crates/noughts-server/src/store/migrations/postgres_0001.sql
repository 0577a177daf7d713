-- Ids are 16 bytes, times are milliseconds since 1970. Rows are only added. Exception: the columns for
-- lists (the status of a game and its end) change.

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

-- Indexes for the pages of the lobby and the archive.
CREATE INDEX games_by_status ON games (status, created_ms, id);
CREATE INDEX games_by_family ON games (family, status, created_ms, id);
CREATE INDEX games_tied ON games (id) WHERE tied AND ended_ms IS NULL;

-- Names are ordered by their bytes, so that the order does not depend on the locale.
CREATE TABLE players (
    name       TEXT   NOT NULL COLLATE "C",
    created_ms BIGINT NOT NULL,
    game       BYTEA  NOT NULL,
    family     TEXT   NOT NULL,
    PRIMARY KEY (name, created_ms, game)
);

-- Open seats that were taken, with their holders.
CREATE TABLE sittings (
    game   BYTEA    NOT NULL,
    seat   SMALLINT NOT NULL,
    holder TEXT     NOT NULL,
    key    TEXT,
    body   BIGINT,
    PRIMARY KEY (game, seat)
);

-- If players leave, a row without a seat takes the place of the next turn. So a turn and the leaving of
-- players have the same key, and only one of them is stored.
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

-- Requests for a rematch, and the games that were created for them.
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

-- The liveness leases of the processes, by the clock of this database.
CREATE TABLE nodes (
    node     TEXT   NOT NULL PRIMARY KEY,
    until_ms BIGINT NOT NULL
);

-- 244 random bits from the secure random number generator of the database.
CREATE TABLE secrets (secret BYTEA NOT NULL);
INSERT INTO secrets VALUES (sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
