-- What people deleted by hand can be brought back.

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
