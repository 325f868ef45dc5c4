-- The dashboard: who is signed in, and what its figures are counted by.

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

-- Memories by kind and day, counted without reading them: messages, which are most of the documents, are counted by messages_at.
CREATE INDEX documents_kinds ON documents (space, kind, at) WHERE kind <> 'message';
-- What went wrong last, however much went right since.
CREATE INDEX requests_failed ON requests (space, at) WHERE error_stage IS NOT NULL;
