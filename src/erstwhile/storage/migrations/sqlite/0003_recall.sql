-- Search in memory: documents carry their terms, and whoever searches keeps the index of a space in step by reading what changed.

DROP TABLE documents_terms;
DROP TABLE documents;

-- A row per message or memory that can be searched. `seq` to `until` are the messages it comes from; `doc` only ever grows.
CREATE TABLE documents (
    doc      INTEGER PRIMARY KEY AUTOINCREMENT,
    space    TEXT NOT NULL,
    id       TEXT NOT NULL,
    kind     TEXT NOT NULL,
    channel  TEXT,
    person   TEXT,
    at       INTEGER NOT NULL,
    seq      INTEGER,
    until    INTEGER,
    question INTEGER NOT NULL,
    terms    TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_id ON documents (space, id);
CREATE INDEX documents_feed ON documents (space, doc);

-- Documents that are gone, so that indexes in memory let them go too.
CREATE TABLE documents_gone (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space  TEXT NOT NULL,
    doc    INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_gone_feed ON documents_gone (space, number);

-- What is still to be embedded.
CREATE TABLE unembedded (
    space TEXT NOT NULL,
    doc   INTEGER NOT NULL,
    PRIMARY KEY (space, doc)
) STRICT, WITHOUT ROWID;

CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space  TEXT NOT NULL,
    doc    INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_doc ON vectors (space, doc);
CREATE INDEX vectors_feed ON vectors (space, number);

-- Whose vectors a space has, and whether of messages too.
CREATE TABLE embedded (
    space    TEXT NOT NULL PRIMARY KEY,
    embedder TEXT NOT NULL,
    messages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX facts_person ON facts (space, person, at) WHERE person IS NOT NULL;

-- What was said before this version gets its documents anew.
INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at)
SELECT space, 'index.remake', '', 'job_remake_' || lower(hex(randomblob(8))), '{}', 'waiting', 0, 0, 1, 0, created_at FROM spaces;
