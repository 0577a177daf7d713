-- Schema 2: one log per game. The rows of sittings, turns, wishes and rematches become entries, in that
-- order. Before this file runs, the program fills the temporary tables seats_now (game, seats) and
-- rematch_ids (game, data) with values that SQL alone cannot compute.

CREATE TABLE entries (
    game    BYTEA    NOT NULL,
    number  INTEGER  NOT NULL,               -- from 1, without gaps
    at_ms   BIGINT   NOT NULL,               -- never less than that of the entry before
    seat    SMALLINT,                        -- the seat that caused it, where one did
    kind    TEXT     NOT NULL,               -- 'seated', 'turn', 'offered', 'ended', 'rematch'
    data    TEXT     NOT NULL,               -- 'human Ann', '1-0', 'rematch', 'leaving 0 2', a game's id
    key     TEXT,                            -- the idempotency key of the request that caused it
    request BIGINT,                          -- a hash of that request
    PRIMARY KEY (game, number)
);

INSERT INTO entries (game, number, at_ms, seat, kind, data, key, request)
SELECT game, number,
    greatest(games.created_ms, max(known_ms) OVER (PARTITION BY game ORDER BY number)),
    seat, kind, data, ordered.key, request
FROM (
    SELECT game, (row_number() OVER (PARTITION BY game ORDER BY phase, place))::int4 AS number,
        known_ms, seat, kind, data, key, request
    FROM (
        SELECT game, 1 AS phase, seat::int4 AS place, 0::int8 AS known_ms, seat,
            'seated' AS kind, holder AS data, key, body AS request
        FROM sittings
        UNION ALL
        SELECT game, 2, number, at_ms, seat, 'turn', action, key, body
        FROM turns WHERE seat IS NOT NULL
        UNION ALL
        SELECT game, 3, number, coalesce(ended_ms, 0), NULL, 'ended',
            'leaving' || substr(action, 5), NULL, NULL
        FROM turns JOIN games ON games.id = turns.game WHERE seat IS NULL
        UNION ALL
        SELECT game, 4, seat, coalesce(ended_ms, 0), seat, 'offered', 'rematch', NULL, NULL
        FROM wishes JOIN games ON games.id = wishes.game
        UNION ALL
        SELECT rematches.game, 5, 0, coalesce(created_ms, 0), NULL, 'rematch', data, NULL, NULL
        FROM rematches JOIN rematch_ids ON rematch_ids.game = rematches.game
        LEFT JOIN games ON games.id = rematches.next
    ) AS parts
) AS ordered
JOIN games ON games.id = ordered.game
ORDER BY game, number;

CREATE TABLE new_games (
    id          BYTEA    NOT NULL PRIMARY KEY,
    -- Written once.
    variant     TEXT     NOT NULL,           -- 'multi@4'
    family      TEXT     NOT NULL,           -- what it is listed under: 'multi'
    history     INTEGER  NOT NULL,
    start       TEXT,                        -- a position, where it is not the variant's first
    holders     TEXT     NOT NULL,           -- one seat per line: 'human Ann', 'robot perfect', 'open link'
    created_ms  BIGINT   NOT NULL,
    key_scope   TEXT     NOT NULL,           -- whose key it is; '' for keys of older versions
    key         TEXT,                        -- NULL also after another game took the key over
    request     BIGINT,
    -- A summary for lists, written with the entry that changes it.
    status      TEXT     NOT NULL,           -- 'unlisted', 'waiting', 'playing', 'over'
    seats       TEXT     NOT NULL,           -- the holders now
    tied        BOOLEAN  NOT NULL,           -- whether a seat lasts as long as a connection to a node
    deadline_ms BIGINT,                      -- when any node may act for one that should have
    ended_ms    BIGINT,
    outcome     TEXT                         -- 'won x by line 0 4 8'
);

INSERT INTO new_games
SELECT id, variant, family, history, start, holders, created_ms, '', key, body,
    status, coalesce(seats, holders), tied, NULL, ended_ms, conclusion
FROM games LEFT JOIN seats_now ON game = id;

DROP TABLE games;
ALTER TABLE new_games RENAME TO games;
ALTER INDEX new_games_pkey RENAME TO games_pkey;

CREATE UNIQUE INDEX games_by_key ON games (key, key_scope) WHERE key IS NOT NULL;
CREATE INDEX games_by_status ON games (status, created_ms, id);
CREATE INDEX games_by_family ON games (family, status, created_ms, id);
CREATE INDEX games_by_deadline ON games (deadline_ms) WHERE deadline_ms IS NOT NULL;
CREATE INDEX games_tied ON games (id) WHERE tied AND ended_ms IS NULL;

DROP TABLE sittings;
DROP TABLE turns;
DROP TABLE wishes;
DROP TABLE rematches;
DROP TABLE seats_now;
DROP TABLE rematch_ids;

-- A running node increments its counter.
CREATE TABLE new_nodes (
    node    TEXT   NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL
);
INSERT INTO new_nodes SELECT node, 0 FROM nodes;
DROP TABLE nodes;
ALTER TABLE new_nodes RENAME TO nodes;
ALTER INDEX new_nodes_pkey RENAME TO nodes_pkey;

-- Which seats have a connected player, by node.
CREATE TABLE presence (
    game  BYTEA NOT NULL,
    node  TEXT  NOT NULL,
    seats TEXT  NOT NULL,                    -- '0 2'
    PRIMARY KEY (game, node)
);
CREATE INDEX presence_by_node ON presence (node);

-- Readiness checks write here.
CREATE TABLE probes (data BYTEA NOT NULL);

ANALYZE games;
ANALYZE entries;
