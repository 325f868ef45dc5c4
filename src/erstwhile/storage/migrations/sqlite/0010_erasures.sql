-- Erasing: what is to go, what went, and that it does not come back.

-- One row per space: how often something was erased here, and the secret under which what went is known.
CREATE TABLE erasure_marks (
    space  TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL,
    secret TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Receipts. `subject` is a keyed hash of whom or what it was; there are no words here.
CREATE TABLE erasures (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    counts  TEXT NOT NULL,
    checked INTEGER NOT NULL,
    digest  TEXT NOT NULL,
    by      TEXT NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX erasures_subject ON erasures (space, subject);

-- Messages that were erased, each as a keyed hash of its channel and key, so that bringing them in again brings nothing back.
CREATE TABLE tombstones (
    space TEXT NOT NULL,
    hash  TEXT NOT NULL,
    PRIMARY KEY (space, hash)
) STRICT, WITHOUT ROWID;

-- What an erasure takes away, while it is at it: messages, which have a channel, and memories. Empty at all other times.
CREATE TABLE erasing (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT,
    seq     INTEGER,
    at      INTEGER,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX erasing_place ON erasing (space, channel, seq);
