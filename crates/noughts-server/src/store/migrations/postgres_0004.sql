-- Schema 4: clocks, and the times during which nothing could be stored.
ALTER TABLE games ADD COLUMN clock TEXT;     -- '180+2', 'move 30', 'days 3'; NULL without a clock

-- When something was last stored, or 0: one row, with the number 1.
CREATE TABLE heartbeat (
    id    INTEGER NOT NULL PRIMARY KEY,
    at_ms BIGINT  NOT NULL
);
INSERT INTO heartbeat VALUES (1, 0);

CREATE TABLE outages (
    until_ms BIGINT NOT NULL PRIMARY KEY,
    from_ms  BIGINT NOT NULL
);
