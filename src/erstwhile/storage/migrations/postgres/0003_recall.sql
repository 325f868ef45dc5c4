-- Search in memory: documents carry their terms, and whoever searches keeps the index of a space in step by reading what changed.
-- `stamp` is the transaction that wrote a row: a reader takes all from the oldest transaction that was still open when it last looked, so
-- that nothing is missed, in whatever order transactions commit.

DROP TABLE documents;

CREATE SEQUENCE documents_doc;
CREATE TABLE documents (
    doc      BIGINT NOT NULL DEFAULT nextval('documents_doc'),
    stamp    BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    space    TEXT NOT NULL,
    id       TEXT NOT NULL,
    kind     TEXT NOT NULL,
    channel  TEXT,
    person   TEXT,
    at       BIGINT NOT NULL,
    seq      BIGINT,
    until    BIGINT,
    question INTEGER NOT NULL,
    terms    TEXT NOT NULL,
    PRIMARY KEY (space, id)
) PARTITION BY HASH (space);
CREATE UNIQUE INDEX documents_number ON documents (space, doc);
CREATE INDEX documents_feed ON documents (space, stamp);
DO $$
BEGIN
    FOR part IN 0..7 LOOP
        EXECUTE format('CREATE TABLE documents_%s PARTITION OF documents FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
    END LOOP;
END
$$;

-- Documents that are gone, so that indexes in memory let them go too.
CREATE TABLE documents_gone (
    space TEXT NOT NULL,
    doc   BIGINT NOT NULL,
    stamp BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    PRIMARY KEY (space, doc)
);
CREATE INDEX documents_gone_feed ON documents_gone (space, stamp);

-- What is still to be embedded.
CREATE TABLE unembedded (
    space TEXT NOT NULL,
    doc   BIGINT NOT NULL,
    PRIMARY KEY (space, doc)
);

CREATE TABLE vectors (
    space  TEXT NOT NULL,
    doc    BIGINT NOT NULL,
    stamp  BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    vector BYTEA NOT NULL,
    PRIMARY KEY (space, doc)
);
CREATE INDEX vectors_feed ON vectors (space, stamp);

-- Whose vectors a space has, and whether of messages too.
CREATE TABLE embedded (
    space    TEXT NOT NULL PRIMARY KEY,
    embedder TEXT NOT NULL,
    messages INTEGER NOT NULL
);

CREATE INDEX facts_person ON facts (space, person, at) WHERE person IS NOT NULL;

-- What was said before this version gets its documents anew.
INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at)
SELECT space, 'index.remake', '', 'job_remake_' || md5(space), '{}', 'waiting', 0, 0, 1, 0, created_at FROM spaces;
