-- Times are microseconds since 1970 UTC. Flags are 0 or 1. JSON is text. Every table leads with its space.

CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    at      TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

-- The log: what people said. Never updated.

CREATE TABLE spaces (
    space      TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    last_seq   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
    space      TEXT NOT NULL,
    person     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, person)
) STRICT, WITHOUT ROWID;

-- Names over time: a row per name a person went by, with the first and last time it was seen.
CREATE TABLE names (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    name     TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    PRIMARY KEY (space, person, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    id         TEXT NOT NULL,
    role       TEXT NOT NULL,
    person     TEXT,
    name       TEXT,
    text       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    key        TEXT,
    model      TEXT,
    meta       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, channel, seq)
) STRICT;
CREATE UNIQUE INDEX messages_id ON messages (space, id);
CREATE UNIQUE INDEX messages_key ON messages (space, channel, key) WHERE key IS NOT NULL;
CREATE INDEX messages_person ON messages (space, person, at) WHERE person IS NOT NULL;

-- What can be searched: a row per message or memory, its analysed terms in the index beside it.

CREATE TABLE documents (
    doc     INTEGER PRIMARY KEY,
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    channel TEXT,
    person  TEXT,
    at      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_id ON documents (space, id);

CREATE VIRTUAL TABLE documents_terms USING fts5 (
    scope, terms, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
INSERT INTO documents_terms (documents_terms, rank) VALUES ('secure-delete', 1);

-- Jobs: work that is due, each under a lease.

CREATE TABLE jobs (
    space       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    key         TEXT NOT NULL,
    id          TEXT NOT NULL,
    lane        TEXT,
    pace        TEXT,
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'parked')),
    due_at      INTEGER NOT NULL,
    limit_at    INTEGER,
    again_at    INTEGER,
    attempts    INTEGER NOT NULL,
    faults      INTEGER NOT NULL DEFAULT 0,
    token       INTEGER NOT NULL,
    worker      TEXT,
    beat        INTEGER NOT NULL,
    reason      TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (space, kind, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX jobs_id ON jobs (id);
CREATE INDEX jobs_due ON jobs (due_at) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (worker) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state = 'done';
CREATE INDEX jobs_parked ON jobs (space, finished_at) WHERE state = 'parked';
CREATE UNIQUE INDEX jobs_lane ON jobs (space, lane) WHERE state = 'running' AND lane IS NOT NULL;

-- When the next job of a paced kind may start.
CREATE TABLE paces (
    space   TEXT NOT NULL,
    pace    TEXT NOT NULL,
    free_at INTEGER NOT NULL,
    PRIMARY KEY (space, pace)
) STRICT, WITHOUT ROWID;

-- Chunks and metas: level 0 sums up messages, each level above sums up the one below.

CREATE TABLE chunk_cursors (
    space   TEXT NOT NULL,
    channel TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    level      INTEGER NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    number     INTEGER NOT NULL,
    id         TEXT NOT NULL,
    parent     TEXT,
    text       TEXT NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    stale      INTEGER NOT NULL,
    from_at    INTEGER NOT NULL,
    to_at      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    edited_at  INTEGER,
    edited_by  TEXT,
    PRIMARY KEY (space, channel, level, first_seq, last_seq)
) STRICT;
CREATE UNIQUE INDEX chunks_id ON chunks (space, id);
CREATE INDEX chunks_parent ON chunks (space, channel, level, number) WHERE parent IS NULL;
CREATE INDEX chunks_children ON chunks (space, parent) WHERE parent IS NOT NULL;
CREATE INDEX chunks_draft ON chunks (space) WHERE draft = 1;

-- Facts. An extract is one reading of a chunk's messages for facts, also when it found none. A fact's `seq` is the message it leans on most.

CREATE TABLE extracts (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    found      INTEGER NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, channel, first_seq, last_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX extracts_draft ON extracts (space) WHERE draft = 1;

CREATE TABLE facts (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    id         TEXT NOT NULL,
    seq        INTEGER,
    person     TEXT,
    text       TEXT NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    edited_at  INTEGER,
    edited_by  TEXT,
    PRIMARY KEY (space, channel, first_seq, last_seq, position)
) STRICT;
CREATE UNIQUE INDEX facts_id ON facts (space, id);
