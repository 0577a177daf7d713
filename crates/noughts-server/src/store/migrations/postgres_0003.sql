-- Players that wait for an opponent, at any node.
CREATE TABLE waiting (
    id        BYTEA    NOT NULL PRIMARY KEY,
    node      TEXT     NOT NULL,             -- the node that serves the player
    variant   TEXT     NOT NULL,
    holder    TEXT     NOT NULL,             -- 'human@00c0ffee00c0ffee Ann'
    since_ms  BIGINT   NOT NULL,
    listed_ms BIGINT   NOT NULL,             -- when the node last said that the player waits
    game      BYTEA,                         -- the game of the pair, until the node has seen it
    seat      SMALLINT
);

-- The version of the latest list of waiting players that each node sent.
CREATE TABLE waiting_lists (
    node    TEXT   NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL
);
