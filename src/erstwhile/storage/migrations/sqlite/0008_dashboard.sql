-- The dashboard: who is signed in.

-- Sessions of browsers, and links that begin one. Of the token only its SHA-256 is here. `key` opened it and ends it; '' is whoever had the
-- terminal. The space '' is every space. With a person it shows what is known about that person, and nothing else.
CREATE TABLE sessions (
    digest     TEXT PRIMARY KEY,
    space      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('link', 'session')),
    key        TEXT NOT NULL,
    person     TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX sessions_end ON sessions (expires_at);
