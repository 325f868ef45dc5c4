-- What people deleted by hand can be brought back.

-- `kept` is what it takes: the row as it was, as JSON, of this memory alone, so that its words go with those of the version.
ALTER TABLE versions DROP CONSTRAINT versions_action_check;
ALTER TABLE versions ADD CONSTRAINT versions_action_check CHECK (action IN ('written', 'replaced', 'edited', 'deleted', 'restored'));
ALTER TABLE versions ADD COLUMN kept TEXT NOT NULL DEFAULT '';
