-- Schema 6: settings of the operator, which apply to all nodes.
CREATE TABLE bans (
    network  TEXT   NOT NULL PRIMARY KEY,    -- '192.0.2.0/24', '2001:db8::/32'
    until_ms BIGINT NOT NULL,
    reason   TEXT   NOT NULL
);

-- The current announcement has the number 1; there may be none.
CREATE TABLE announcements (
    id   INTEGER NOT NULL PRIMARY KEY,
    text TEXT    NOT NULL
);
