-- What people deleted by hand can be brought back, and what speaks against taking a memory at its word is shown to them.

-- `kept` is what it takes: the row as it was, as JSON, of this memory alone, so that its words go with those of the version.
ALTER TABLE versions DROP CONSTRAINT versions_action_check;
ALTER TABLE versions ADD CONSTRAINT versions_action_check CHECK (action IN ('written', 'replaced', 'edited', 'deleted', 'restored'));
ALTER TABLE versions ADD COLUMN kept TEXT NOT NULL DEFAULT '';

-- Why a memory should be looked at; none of its words. `at` is the memory's. Once someone has, `version` is the one of its history they saw: a
-- later one is to be looked at again.
CREATE TABLE flags (
    space       TEXT NOT NULL,
    id          TEXT NOT NULL,
    reason      TEXT NOT NULL CHECK (reason IN ('instruction', 'authority', 'secret', 'hidden', 'sending', 'contradiction')),
    at          BIGINT NOT NULL,
    version     INTEGER NOT NULL DEFAULT -1,
    decision    TEXT NOT NULL DEFAULT '',
    reviewed_at BIGINT,
    reviewed_by TEXT,
    PRIMARY KEY (space, id, reason)
);

-- What was made before this version is looked through once.
INSERT INTO jobs (space, kind, key, id, payload, state, due_at, attempts, token, beat, created_at)
SELECT space, 'flags.look', '', 'job_flags_' || md5(space), '{}', 'waiting', created_at, 0, 1, 0, created_at FROM spaces;
