-- Ids are 16 bytes, times are milliseconds since 1970. Rows are only added. Exception: the columns for
-- lists (the status of a game and its end) change.

CREATE TABLE games (
    id         BLOB    NOT NULL PRIMARY KEY,
    variant    TEXT    NOT NULL,             -- 'multi@4'
    family     TEXT    NOT NULL,             -- what it is listed under: 'multi'
    row_length INTEGER NOT NULL,             -- what the second number of a move counts to
    history    INTEGER NOT NULL,
    start      TEXT,                         -- a position, where it is not the variant's first
    holders    TEXT    NOT NULL,             -- one seat a line: 'human Ann', 'robot perfect', 'open link'
    created_ms INTEGER NOT NULL,
    key        TEXT    UNIQUE,
    body       INTEGER,
    status     TEXT    NOT NULL,             -- 'unlisted', 'waiting', 'playing', 'over'
    tied       INTEGER NOT NULL,             -- whether a seat ends with a process
    ended_ms   INTEGER,
    conclusion TEXT                          -- 'won x by line 0 4 8'
) WITHOUT ROWID;

-- Indexes for the pages of the lobby and the archive.
CREATE INDEX games_by_status ON games (status, created_ms, id);
CREATE INDEX games_by_family ON games (family, status, created_ms, id);
CREATE INDEX games_tied ON games (id) WHERE tied = 1 AND ended_ms IS NULL;

CREATE TABLE players (
    name       TEXT    NOT NULL,
    created_ms INTEGER NOT NULL,
    game       BLOB    NOT NULL,
    family     TEXT    NOT NULL,
    PRIMARY KEY (name, created_ms, game)
) WITHOUT ROWID;

-- Open seats that were taken, with their holders.
CREATE TABLE sittings (
    game   BLOB    NOT NULL,
    seat   INTEGER NOT NULL,
    holder TEXT    NOT NULL,
    key    TEXT,
    body   INTEGER,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;

-- If players leave, a row without a seat takes the place of the next turn. So a turn and the leaving of
-- players have the same key, and only one of them is stored.
CREATE TABLE turns (
    game   BLOB    NOT NULL,
    number INTEGER NOT NULL,                 -- from 1
    seat   INTEGER,
    action TEXT    NOT NULL,                 -- '1-0', '<<2', 'resign', 'left 0'
    at_ms  INTEGER NOT NULL,
    key    TEXT,
    body   INTEGER,
    PRIMARY KEY (game, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX turns_by_key ON turns (game, seat, key) WHERE key IS NOT NULL;

-- Requests for a rematch, and the games that were created for them.
CREATE TABLE wishes (
    game BLOB    NOT NULL,
    seat INTEGER NOT NULL,
    PRIMARY KEY (game, seat)
) WITHOUT ROWID;

CREATE TABLE rematches (
    game BLOB NOT NULL PRIMARY KEY,
    next BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE analyses (
    game     BLOB NOT NULL PRIMARY KEY,
    analysis TEXT NOT NULL
) WITHOUT ROWID;

-- The liveness leases of the processes.
CREATE TABLE nodes (
    node     TEXT    NOT NULL PRIMARY KEY,
    until_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE secrets (secret BLOB NOT NULL);
INSERT INTO secrets VALUES (randomblob(32));
