-- People and communities: who speaks where and who may hear it, what was told, days, notes, profiles.

-- What was declared of a channel: open, private, direct; '' goes by who has spoken there.
ALTER TABLE channels ADD COLUMN privacy TEXT NOT NULL DEFAULT '';

-- `blocked`: nothing they say is kept, nothing of theirs is recalled. `shares`: what they said in private may be told elsewhere.
ALTER TABLE people ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
ALTER TABLE people ADD COLUMN shares INTEGER NOT NULL DEFAULT 0;
CREATE INDEX people_blocked ON people (space, person) WHERE blocked = 1;

-- Who has spoken in a channel or was declared to hear it; person '' is someone who was not named.
CREATE TABLE speakers (
    space   TEXT NOT NULL,
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    PRIMARY KEY (space, channel, person)
);
CREATE INDEX speakers_person ON speakers (space, person);
INSERT INTO speakers (space, channel, person)
SELECT DISTINCT space, channel, coalesce(person, '') FROM messages WHERE role = 'user';

-- Messages of a day, over all channels.
CREATE INDEX messages_at ON messages (space, at);

-- What someone asked to be remembered of a person. `audience` is '' for what anyone in the space may hear, else the private channel.
-- `base` is the text as a model or a person last wrote it, with every telling up to `merged` in it; `text` has them all.
CREATE TABLE told (
    space      TEXT NOT NULL,
    person     TEXT NOT NULL,
    audience   TEXT NOT NULL,
    id         TEXT NOT NULL,
    text       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    base       TEXT NOT NULL,
    merged     BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (space, person, audience)
);
CREATE UNIQUE INDEX told_id ON told (space, id);

-- Each time someone asked to remember or to forget: in whose words, where, and whether what was to be forgotten was there.
CREATE TABLE tellings (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    audience TEXT NOT NULL,
    number   INTEGER NOT NULL,
    action   TEXT NOT NULL CHECK (action IN ('remember', 'forget')),
    words    TEXT NOT NULL,
    said_by  TEXT,
    channel  TEXT,
    seq      BIGINT,
    found    INTEGER NOT NULL,
    flag     TEXT NOT NULL,
    at       BIGINT NOT NULL,
    PRIMARY KEY (space, person, audience, number)
);

-- Days: `bucket` is the hour up to which a day was read, 24 when it is over and never changes again; `messages` is how many there were.
CREATE TABLE day_batches (
    space    TEXT NOT NULL,
    day      TEXT NOT NULL,
    audience TEXT NOT NULL,
    bucket   INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  BIGINT NOT NULL,
    PRIMARY KEY (space, day, audience)
);

-- A day runs from `from_at` to `to_at`: midnights where the settings' time zone had them.
CREATE TABLE days (
    space    TEXT NOT NULL,
    day      TEXT NOT NULL,
    audience TEXT NOT NULL,
    person   TEXT NOT NULL,
    id       TEXT NOT NULL,
    from_at  BIGINT NOT NULL,
    to_at    BIGINT NOT NULL,
    text     TEXT NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  BIGINT NOT NULL,
    PRIMARY KEY (space, day, audience, person)
);
CREATE UNIQUE INDEX days_id ON days (space, id);
CREATE INDEX days_person ON days (space, person, day);

-- The six days before `until` and `until` itself as one text; one row per person and audience.
CREATE TABLE weeks (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    audience TEXT NOT NULL,
    until    TEXT NOT NULL,
    hash     TEXT NOT NULL,
    text     TEXT NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  BIGINT NOT NULL,
    PRIMARY KEY (space, person, audience)
);

-- Told, today and history merged; one row per person and audience, `hash` is of its three inputs.
CREATE TABLE portraits (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    audience TEXT NOT NULL,
    hash     TEXT NOT NULL,
    text     TEXT NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  BIGINT NOT NULL,
    PRIMARY KEY (space, person, audience)
);

-- The messages of a channel that no note holds yet. One buffer a channel is open; a closed one waits for its note.
CREATE TABLE buffers (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    messages   INTEGER NOT NULL,
    started_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    closed     INTEGER NOT NULL,
    PRIMARY KEY (space, channel, first_seq)
);
CREATE UNIQUE INDEX buffers_open ON buffers (space, channel) WHERE closed = 0;

-- Notes of conversations, and topics: clusters of a day's notes, which have no range. `topic` is what a note was put into.
CREATE TABLE notes (
    space      TEXT NOT NULL,
    id         TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('note', 'topic')),
    channel    TEXT NOT NULL,
    first_seq  BIGINT NOT NULL,
    last_seq   BIGINT NOT NULL,
    day        TEXT NOT NULL,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    from_at    BIGINT NOT NULL,
    to_at      BIGINT NOT NULL,
    topic      TEXT,
    expired    INTEGER NOT NULL DEFAULT 0,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    edited_at  BIGINT,
    edited_by  TEXT,
    PRIMARY KEY (space, id)
);
CREATE UNIQUE INDEX notes_range ON notes (space, channel, first_seq) WHERE kind = 'note';
CREATE INDEX notes_day ON notes (space, day);
CREATE INDEX notes_topic ON notes (space, topic) WHERE topic IS NOT NULL;
CREATE INDEX notes_draft ON notes (space) WHERE draft = 1;

CREATE TABLE note_people (
    space  TEXT NOT NULL,
    note   TEXT NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (space, note, person)
);
CREATE INDEX note_people_person ON note_people (space, person);

-- A nightly run: one per day and space.
CREATE TABLE nights (
    space  TEXT NOT NULL,
    day    TEXT NOT NULL,
    notes  INTEGER NOT NULL,
    topics INTEGER NOT NULL,
    people INTEGER NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (space, day)
);

-- A profile's facts. `note` is the note it came from, `said_by` whose word it is if not the person's own, `seq` the message it leans on.
CREATE TABLE profile_facts (
    space         TEXT NOT NULL,
    id            TEXT NOT NULL,
    person        TEXT NOT NULL,
    section       TEXT NOT NULL CHECK (section IN ('bio', 'interests', 'skills', 'opinions', 'relationships', 'other')),
    text          TEXT NOT NULL,
    note          TEXT,
    said_by       TEXT,
    channel       TEXT NOT NULL,
    seq           BIGINT,
    slot          TEXT NOT NULL,
    value         TEXT NOT NULL,
    flag          TEXT NOT NULL,
    at            BIGINT NOT NULL,
    valid_to      BIGINT,
    superseded_by TEXT,
    writer        TEXT NOT NULL,
    draft         INTEGER NOT NULL,
    created_at    BIGINT NOT NULL,
    edited_at     BIGINT,
    edited_by     TEXT,
    PRIMARY KEY (space, id)
);
CREATE INDEX profile_facts_person ON profile_facts (space, person, at);
CREATE INDEX profile_facts_note ON profile_facts (space, note) WHERE note IS NOT NULL;

-- Further notes that a fact stands on, once consolidation has put several into one.
CREATE TABLE profile_sources (
    space TEXT NOT NULL,
    fact  TEXT NOT NULL,
    note  TEXT NOT NULL,
    PRIMARY KEY (space, fact, note)
);
CREATE INDEX profile_sources_note ON profile_sources (space, note);

-- When a profile last changed, and up to when it has been consolidated.
CREATE TABLE profiles (
    space           TEXT NOT NULL,
    person          TEXT NOT NULL,
    changed_at      BIGINT NOT NULL,
    consolidated_at BIGINT NOT NULL,
    PRIMARY KEY (space, person)
);
