-- The server: keys, the feed of changes, and what a space may use in a day.

-- Keys of the server. Of the secret only its SHA-256 is here. The space '' is that of admin keys.
CREATE TABLE keys (
    id         TEXT PRIMARY KEY,
    space      TEXT NOT NULL,
    name       TEXT NOT NULL,
    digest     TEXT NOT NULL,
    read_only  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER,
    revoked_at INTEGER
);
CREATE INDEX keys_space ON keys (space, created_at);

-- What changed, in order, for whoever watches: written in the transaction of the change, kept for some days.
CREATE TABLE events (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    space   TEXT NOT NULL,
    at      INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    kind    TEXT NOT NULL,
    action  TEXT NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT,
    person  TEXT,
    seq     INTEGER,
    until   INTEGER
);
CREATE INDEX events_feed ON events (space, number);

-- Memories from the newest back, without passing through the messages.
CREATE INDEX documents_memories ON documents (space, doc) WHERE kind <> 'message';

-- Tokens that came in over the server, per space and day, where there is a limit.
CREATE TABLE allowances (
    space  TEXT NOT NULL,
    day    TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (space, day)
);
