-- Which channels of a chat platform are listened to, and how far each was heard; and what people call a channel.

-- `chosen`: 1 on, 0 off, empty where nobody chose. Listened is from `since` on (empty: from the beginning). `heard`: the key of the last
-- message that needs no looking up; `audited`: how far the whole was compared again, since when last `audited_at`.
CREATE TABLE listening (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    chosen     INTEGER,
    since      TEXT NOT NULL DEFAULT '',
    heard      TEXT NOT NULL DEFAULT '',
    audited    TEXT NOT NULL DEFAULT '',
    audited_at BIGINT,
    by         TEXT NOT NULL DEFAULT '',
    at         BIGINT NOT NULL,
    PRIMARY KEY (space, channel)
);

ALTER TABLE channels ADD COLUMN title TEXT NOT NULL DEFAULT '';
