-- Structured memories: what is so, liked, decided, to be done or worth knowing, each with the time it holds for.

-- One reading of a chunk's messages for structured memories, also when it found none.
CREATE TABLE structurings (
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
CREATE INDEX structurings_draft ON structurings (space) WHERE draft = 1;

-- `owner` is whose word it is about whom; `thread`, of one owner, joins what can contradict or repeat each other. `valid_to`, `superseded_by` and `restates` follow from the rows of a thread alone.
CREATE TABLE structured (
    space         TEXT NOT NULL,
    channel       TEXT NOT NULL,
    first_seq     BIGINT NOT NULL,
    last_seq      BIGINT NOT NULL,
    position      INTEGER NOT NULL,
    id            TEXT NOT NULL,
    seq           BIGINT NOT NULL,
    type          TEXT NOT NULL CHECK (type IN ('fact', 'preference', 'decision', 'todo', 'entity')),
    text          TEXT NOT NULL,
    person        TEXT,
    subject       TEXT,
    said_by       TEXT,
    slot          TEXT NOT NULL,
    value         TEXT NOT NULL,
    confidence    DOUBLE PRECISION NOT NULL,
    done          INTEGER NOT NULL,
    due           TEXT,
    owner         TEXT NOT NULL,
    thread        TEXT NOT NULL,
    at            BIGINT NOT NULL,
    valid_from    BIGINT NOT NULL,
    valid_to      BIGINT,
    superseded_by TEXT,
    restates      TEXT,
    writer        TEXT NOT NULL,
    draft         INTEGER NOT NULL,
    created_at    BIGINT NOT NULL,
    edited_at     BIGINT,
    edited_by     TEXT,
    PRIMARY KEY (space, channel, first_seq, last_seq, position)
);
CREATE UNIQUE INDEX structured_id ON structured (space, id);
CREATE INDEX structured_thread ON structured (space, thread);
CREATE INDEX structured_person ON structured (space, person, at);
CREATE INDEX structured_restates ON structured (space, restates) WHERE restates IS NOT NULL;
CREATE INDEX structured_closed ON structured (space, valid_to) WHERE superseded_by IS NOT NULL;
