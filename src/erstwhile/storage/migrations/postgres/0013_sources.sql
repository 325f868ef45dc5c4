-- Where messages came from, and which of them were changed or taken back of late.

-- What `meta` names as their source, such as a file that was imported: a column of its own, because reading `meta` for an index would be done
-- for every message, also for the most that have none.
ALTER TABLE messages ADD COLUMN source TEXT;
UPDATE messages SET source = meta::json->>'source'
WHERE strpos(meta, '"source"') > 0 AND json_typeof(meta::json->'source') = 'string' AND octet_length(meta::json->>'source') BETWEEN 1 AND 512;
CREATE INDEX messages_source ON messages (space, source) WHERE source IS NOT NULL;

-- Single messages that have other words now, or were taken back, each under the space's number of that change: whoever is making something
-- sees here whether it read one of them. No words; let go after a day.
CREATE TABLE revisions (
    space   TEXT NOT NULL,
    number  BIGINT NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT NOT NULL,
    seq     BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (space, number, id)
);

-- What the history keeps of memories that are no more is looked through by time when a message goes.
CREATE INDEX versions_at ON versions (space, at);
