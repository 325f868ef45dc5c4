-- How many messages of its range were gone when a chunk was last made without what was erased: of these nothing is in its words.
ALTER TABLE chunks ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
