-- How many messages of its range were gone when a chunk was last made without what was erased: of these nothing is in its words.
ALTER TABLE chunks ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;

-- Whether a space was emptied is asked with every search.
CREATE INDEX documents_gone_emptied ON documents_gone (space, doc) WHERE doc < 0;
