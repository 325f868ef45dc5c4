-- What people deleted by hand can be brought back, and what speaks against taking a memory at its word is shown to them.

-- `kept` is what it takes: the row as it was, as JSON, of this memory alone, so that its words go with those of the version.
CREATE TABLE versions_with_kept (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    version INTEGER NOT NULL,
    action  TEXT NOT NULL CHECK (action IN ('written', 'replaced', 'edited', 'deleted', 'restored')),
    text    TEXT NOT NULL,
    writer  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    kept    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (space, id, version)
) STRICT, WITHOUT ROWID;
INSERT INTO versions_with_kept (space, id, version, action, text, writer, at)
SELECT space, id, version, action, text, writer, at FROM versions ORDER BY space, id, version;
DROP TABLE versions;
ALTER TABLE versions_with_kept RENAME TO versions;

-- Why a memory should be looked at; none of its words. `at` is the memory's. Once someone has, `version` is the one of its history they saw: a
-- later one is to be looked at again.
CREATE TABLE flags (
    space       TEXT NOT NULL,
    id          TEXT NOT NULL,
    reason      TEXT NOT NULL CHECK (reason IN ('instruction', 'authority', 'secret', 'hidden', 'sending', 'contradiction')),
    at          INTEGER NOT NULL,
    version     INTEGER NOT NULL DEFAULT -1,
    decision    TEXT NOT NULL DEFAULT '',
    reviewed_at INTEGER,
    reviewed_by TEXT,
    PRIMARY KEY (space, id, reason)
) STRICT, WITHOUT ROWID;

-- What was made before this version is looked through once.
INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at)
SELECT space, 'flags.look', '', 'job_flags_' || lower(hex(randomblob(8))), '{}', 'waiting', created_at, 0, 1, 0, created_at FROM spaces;
