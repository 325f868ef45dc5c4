-- Times are microseconds since 1970 UTC. Flags are 0 or 1. JSON is text. Every table leads with its space.

CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    at      TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- The log: what people said. Never updated.

CREATE TABLE spaces (
    space      TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL
);

CREATE TABLE channels (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    last_seq   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, channel)
);

CREATE TABLE people (
    space      TEXT NOT NULL,
    person     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, person)
);

-- Names over time: a row per name a person went by, with the first and last time it was seen.
CREATE TABLE names (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    name     TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL,
    PRIMARY KEY (space, person, name)
);

CREATE TABLE messages (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    id         TEXT NOT NULL,
    role       TEXT NOT NULL,
    person     TEXT,
    name       TEXT,
    text       TEXT NOT NULL,
    at         BIGINT NOT NULL,
    key        TEXT,
    model      TEXT,
    meta       TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, channel, seq)
) PARTITION BY HASH (space);
CREATE UNIQUE INDEX messages_id ON messages (space, id);
CREATE UNIQUE INDEX messages_key ON messages (space, channel, key) WHERE key IS NOT NULL;
CREATE INDEX messages_person ON messages (space, person, at) WHERE person IS NOT NULL;

-- What can be searched: a row per message or memory, its analysed terms in the index beside it.

CREATE TABLE documents (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    kind    TEXT NOT NULL,
    channel TEXT,
    person  TEXT,
    at      BIGINT NOT NULL,
    terms   TSVECTOR NOT NULL,
    size    INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) PARTITION BY HASH (space);
CREATE INDEX documents_terms ON documents USING gin (terms);
CREATE INDEX documents_channel ON documents (space, channel, kind);

-- The two tables that grow with the talk are spread by space, so that a machine, or a shard, can hold a part of them.
DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE messages_%s PARTITION OF messages FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE documents_%s PARTITION OF documents FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
    END LOOP;
END
$$;

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
    due_at      BIGINT NOT NULL,
    limit_at    BIGINT,
    again_at    BIGINT,
    attempts    INTEGER NOT NULL,
    faults      INTEGER NOT NULL DEFAULT 0,
    token       INTEGER NOT NULL,
    worker      TEXT,
    beat        INTEGER NOT NULL,
    reason      TEXT,
    created_at  BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (space, kind, key)
);
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
    free_at BIGINT NOT NULL,
    PRIMARY KEY (space, pace)
);

-- Chunks and metas: level 0 sums up messages, each level above sums up the one below.

CREATE TABLE chunk_cursors (
    space   TEXT NOT NULL,
    channel TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    number  INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
);

CREATE TABLE chunks (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    level      INTEGER NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    number     INTEGER NOT NULL,
    id         TEXT NOT NULL,
    parent     TEXT,
    text       TEXT NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    stale      INTEGER NOT NULL,
    from_at    BIGINT NOT NULL,
    to_at      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at  BIGINT,
    edited_by  TEXT,
    PRIMARY KEY (space, channel, level, first_seq, last_seq)
);
CREATE UNIQUE INDEX chunks_id ON chunks (space, id);
CREATE INDEX chunks_parent ON chunks (space, channel, level, number) WHERE parent IS NULL;
CREATE INDEX chunks_children ON chunks (space, parent) WHERE parent IS NOT NULL;
CREATE INDEX chunks_draft ON chunks (space) WHERE draft = 1;

-- Facts. An extract is one reading of a chunk's messages for facts, also when it found none. A fact's `seq` is the message it leans on most.

CREATE TABLE extracts (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    found      INTEGER NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, channel, first_seq, last_seq)
);
CREATE INDEX extracts_draft ON extracts (space) WHERE draft = 1;

CREATE TABLE facts (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    position   INTEGER NOT NULL,
    id         TEXT NOT NULL,
    seq        BIGINT,
    person     TEXT,
    text       TEXT NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    at         BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at  BIGINT,
    edited_by  TEXT,
    PRIMARY KEY (space, channel, first_seq, last_seq, position)
);
CREATE UNIQUE INDEX facts_id ON facts (space, id);
