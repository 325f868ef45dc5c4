-- Times are microseconds since 1970 UTC. Flags are 0 or 1. JSON is text. Every table leads with its space.

-- The `secret` of the first row is this database's: cursors of the feed are encrypted with it.
CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    at      TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    secret  TEXT NOT NULL DEFAULT (lower(hex(randomblob(16))))
) STRICT;

-- The log: what people said. Never updated.

CREATE TABLE spaces (
    space      TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `privacy` is what was declared of a channel: open, private, direct; '' goes by who has spoken there. `title` is what people call it.
-- `opened`: where nothing was declared, from which message on it is everyone's, if who opened it was erased since.
CREATE TABLE channels (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    last_seq   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    privacy    TEXT NOT NULL DEFAULT '',
    title      TEXT NOT NULL DEFAULT '',
    opened     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;

-- `blocked`: nothing they say is stored, nothing of theirs is recalled; `opted_out`: they chose it themselves, and may take it back.
-- `shares`: what they said in private may be used elsewhere. `folded`: the id without case; `label`: what labels that can be mistaken for
-- each other have in common.
CREATE TABLE people (
    space      TEXT NOT NULL,
    person     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    blocked    INTEGER NOT NULL DEFAULT 0,
    shares     INTEGER NOT NULL DEFAULT 0,
    opted_out  INTEGER NOT NULL DEFAULT 0,
    folded     TEXT NOT NULL DEFAULT '',
    label      TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (space, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_blocked ON people (space, person) WHERE blocked = 1;
CREATE INDEX people_folded ON people (space, folded);
CREATE INDEX people_label ON people (space, label);

-- Names over time: a row per name a person went by, with the first and last time it was seen.
CREATE TABLE names (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    name     TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL,
    label    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (space, person, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX names_label ON names (space, label);

-- `source` is what `meta` names as their origin, such as a file that was imported. `checksum` is of what was said, by whom and when.
-- `doc` and `traits` are what search knows a message by (see Search): a message is its own search document.
CREATE TABLE messages (
    doc        INTEGER PRIMARY KEY,
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    id         TEXT NOT NULL,
    role       TEXT NOT NULL,
    person     TEXT,
    name       TEXT,
    text       TEXT NOT NULL,
    at         INTEGER NOT NULL,
    key        TEXT,
    model      TEXT,
    meta       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    checksum   INTEGER NOT NULL,
    source     TEXT,
    traits     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_place ON messages (space, channel, seq);
CREATE UNIQUE INDEX messages_id ON messages (space, id);
CREATE UNIQUE INDEX messages_key ON messages (space, channel, key) WHERE key IS NOT NULL;
CREATE INDEX messages_person ON messages (space, person, at) WHERE person IS NOT NULL;
CREATE INDEX messages_at ON messages (space, at);
-- Every index ends with the `doc`: this one has them in order.
CREATE INDEX messages_feed ON messages (space);
CREATE INDEX messages_source ON messages (space, source) WHERE source IS NOT NULL;

-- Jobs: work that is due, each under a lease.

CREATE TABLE jobs (
    space       TEXT NOT NULL,
    kind        TEXT NOT NULL,
    key         TEXT NOT NULL,
    id          TEXT NOT NULL,
    lane        TEXT,
    pace        TEXT,
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'parked')),
    due_at      INTEGER NOT NULL,
    limit_at    INTEGER,
    again_at    INTEGER,
    attempts    INTEGER NOT NULL,
    faults      INTEGER NOT NULL DEFAULT 0,
    token       INTEGER NOT NULL,
    worker      TEXT,
    beat        INTEGER NOT NULL,
    reason      TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    PRIMARY KEY (space, kind, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX jobs_id ON jobs (id);
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE state = 'waiting';
CREATE INDEX jobs_running ON jobs (worker) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state = 'done';
CREATE INDEX jobs_parked ON jobs (space, finished_at) WHERE state = 'parked';
CREATE UNIQUE INDEX jobs_lane ON jobs (space, lane) WHERE state = 'running' AND lane IS NOT NULL;

-- When the next job of a paced kind may start.
CREATE TABLE paces (
    space   TEXT NOT NULL,
    pace    TEXT NOT NULL,
    free_at INTEGER NOT NULL,
    PRIMARY KEY (space, pace)
) STRICT, WITHOUT ROWID;

-- The places of chunks and metas, whose words are memories: level 0 sums up messages, each level above sums up the one below. `empty`: it stays
-- without words. `gone`: how many messages of its range were gone when it was last made without what was erased.

CREATE TABLE chunk_cursors (
    space   TEXT NOT NULL,
    channel TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunks (
    space     TEXT NOT NULL,
    channel   TEXT NOT NULL,
    level     INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    id        TEXT NOT NULL,
    parent    TEXT,
    empty     INTEGER NOT NULL DEFAULT 0,
    gone      INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (space, channel, level, first_seq, last_seq)
) STRICT;
CREATE UNIQUE INDEX chunks_id ON chunks (space, id);
CREATE INDEX chunks_parent ON chunks (space, channel, level, number) WHERE parent IS NULL;
CREATE INDEX chunks_children ON chunks (space, parent) WHERE parent IS NOT NULL;

-- Readings of a chunk's messages for memories of a kind, also when none was found. A fact's `seq` is the message it leans on most.

CREATE TABLE readings (
    space      TEXT NOT NULL,
    kind       TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    found      INTEGER NOT NULL,
    writer     TEXT NOT NULL,
    draft      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, kind, channel, first_seq, last_seq)
) STRICT, WITHOUT ROWID;

-- Memories: a row for each memory of every layer. `channel` is where it comes from, or to whom alone it may be shown; '' is the whole space.
-- `first_seq` to `last_seq` are the messages it was made from, `seq` the one it rests on most, `position` its place among those of one range.
-- `category` and `importance` are a kind's own sorting (the section of a profile fact, the day of a note), `said_by` whose word it is if not
-- the person's own, `restates` the memory, said before, that says the same and still held, `data` what else its layer knows, as JSON that
-- no query filters by. `trust` is the lowest tier of its sources (`base/trust.py`), 0 to 5. `checksum` is of what
-- it says and about whom; NULL: it was not made here.
-- A memory that someone deleted keeps its row, with `deleted_at`, until its words are wiped.
CREATE TABLE memories (
    space         TEXT NOT NULL,
    id            TEXT NOT NULL,
    kind          TEXT NOT NULL,
    channel       TEXT NOT NULL,
    person        TEXT,
    first_seq     INTEGER,
    last_seq      INTEGER,
    seq           INTEGER,
    position      INTEGER NOT NULL,
    category      TEXT NOT NULL,
    importance    INTEGER NOT NULL,
    said_by       TEXT,
    trust         INTEGER NOT NULL DEFAULT 0,
    title         TEXT NOT NULL,
    text          TEXT NOT NULL,
    writer        TEXT NOT NULL,
    draft         INTEGER NOT NULL,
    stale         INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    from_at       INTEGER,
    to_at         INTEGER,
    valid_from    INTEGER,
    valid_to      INTEGER,
    superseded_by TEXT,
    restates      TEXT,
    data          TEXT NOT NULL,
    checksum      INTEGER,
    created_at    INTEGER NOT NULL,
    edited_at     INTEGER,
    edited_by     TEXT,
    deleted_at    INTEGER,
    deleted_by    TEXT,
    PRIMARY KEY (space, id)
) STRICT;
CREATE INDEX memories_range ON memories (space, channel, kind, first_seq, last_seq);
CREATE INDEX memories_person ON memories (space, person, kind, at) WHERE person IS NOT NULL;
CREATE INDEX memories_at ON memories (space, kind, at);
CREATE UNIQUE INDEX memories_note ON memories (space, channel, first_seq) WHERE kind = 'note';
CREATE INDEX memories_day ON memories (space, category) WHERE kind IN ('note', 'topic');
CREATE INDEX memories_deleted ON memories (space, kind, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memories_ended ON memories (space, kind, valid_to) WHERE superseded_by IS NOT NULL;
CREATE INDEX memories_restates ON memories (space, restates) WHERE restates IS NOT NULL;

-- What a memory was made from, where that is other memories: the notes of a topic or of a profile fact, the summaries of a meta.
CREATE TABLE memory_sources (
    space  TEXT NOT NULL,
    id     TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (space, id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_source ON memory_sources (space, source);

-- The history of a memory: a row per version, the newest being what it says now. `text` NULL: the memory has these words.
-- `kept`: what a regeneration replaced, as JSON, so that it can be undone.
CREATE TABLE versions (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    version INTEGER NOT NULL,
    action  TEXT NOT NULL CHECK (action IN ('written', 'replaced', 'edited', 'deleted', 'restored')),
    text    TEXT,
    writer  TEXT NOT NULL,
    at      INTEGER NOT NULL,
    kept    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (space, id, version)
) STRICT, WITHOUT ROWID;
-- What the history keeps of memories that are no more is looked through by time when a message goes.
CREATE INDEX versions_at ON versions (space, at) WHERE text <> '' OR kept <> '';

-- Prompts that a space or a person in it put in place of ours; person '' is the space itself.
CREATE TABLE prompts (
    space        TEXT NOT NULL,
    person       TEXT NOT NULL,
    name         TEXT NOT NULL,
    instructions TEXT NOT NULL,
    set_at       INTEGER NOT NULL,
    PRIMARY KEY (space, person, name)
) STRICT, WITHOUT ROWID;

-- Settings that a space has of its own; a secret is stored encrypted.
CREATE TABLE space_settings (
    space  TEXT NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    secret INTEGER NOT NULL,
    set_at INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

-- Facts of different channels that tell of the same thing about the same person; stored both ways.
CREATE TABLE fact_links (
    space TEXT NOT NULL,
    id    TEXT NOT NULL,
    other TEXT NOT NULL,
    PRIMARY KEY (space, id, other)
) STRICT, WITHOUT ROWID;

-- How far each channel's brief was folded: what a model wrote up to `cursor`, what was drafted without one up to `draft_cursor`. The one that
-- reaches further is the memory.
CREATE TABLE briefs (
    space        TEXT NOT NULL,
    channel      TEXT NOT NULL,
    id           TEXT NOT NULL,
    text         TEXT NOT NULL,
    cursor       INTEGER NOT NULL,
    draft_text   TEXT NOT NULL,
    draft_cursor INTEGER NOT NULL,
    writer       TEXT NOT NULL,
    folded       INTEGER NOT NULL,
    pending      INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX briefs_id ON briefs (space, id);

-- Search: whoever searches keeps the index of a space in step by reading what changed.

-- A row per memory that can be searched; messages are rows of the log. `seq` to `until` are the messages it comes from.
CREATE TABLE documents (
    doc      INTEGER PRIMARY KEY,
    space    TEXT NOT NULL,
    id       TEXT NOT NULL,
    kind     TEXT NOT NULL,
    channel  TEXT,
    person   TEXT,
    at       INTEGER NOT NULL,
    seq      INTEGER,
    until    INTEGER,
    traits   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_id ON documents (space, id);
CREATE INDEX documents_feed ON documents (space);

-- The terms of documents, until these are in the stored index. Later they are found in the texts again, should that be lost.
CREATE TABLE document_terms (
    space TEXT NOT NULL,
    doc   INTEGER NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (space, doc)
) STRICT, WITHOUT ROWID;

-- Documents that are gone, so that indexes in memory let them go too.
CREATE TABLE documents_gone (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space  TEXT NOT NULL,
    doc    INTEGER NOT NULL
) STRICT;
CREATE INDEX documents_gone_feed ON documents_gone (space, number);

-- The last number of a search document, of messages and memories alike: `doc` only ever grows. SQLite counts others here too.
INSERT INTO sqlite_sequence (name, seq) VALUES ('documents_doc', 0);

-- What is still to be embedded: the documents `doc` to `until` that have no vector. One row for all that a transaction adds.
CREATE TABLE unembedded (
    space TEXT NOT NULL,
    doc   INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (space, until)
) STRICT, WITHOUT ROWID;

-- Vectors; those that can be made again at no cost only until they are in the stored index.
CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space  TEXT NOT NULL,
    doc    INTEGER NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_doc ON vectors (space, doc);
CREATE INDEX vectors_feed ON vectors (space, number);

-- Whose vectors a space has, and whether of messages too.
CREATE TABLE embedded (
    space    TEXT NOT NULL PRIMARY KEY,
    embedder TEXT NOT NULL,
    messages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Memories by kind and day, counted without reading them.
CREATE INDEX documents_kinds ON documents (space, kind, at);

-- Whether a space was emptied is asked with every search.
CREATE INDEX documents_gone_emptied ON documents_gone (space, doc) WHERE doc < 0;

-- Files of the stored index, in order: each has what came after the one before, up to its marks. `version` changes when a
-- file is replaced. `embedded`: how many documents have their vector there. `trimmed`: what the file has was removed from
-- the tables, 1: terms, 2: vectors too. The files are beside the database.
CREATE TABLE index_files (
    space     TEXT NOT NULL,
    number    INTEGER NOT NULL,
    file      TEXT NOT NULL,
    version   INTEGER NOT NULL,
    checksum  TEXT NOT NULL,
    length    INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    origin    TEXT NOT NULL,
    embedder  TEXT NOT NULL,
    emptied   INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    gone      INTEGER NOT NULL,
    vectors   INTEGER NOT NULL,
    embedded  INTEGER NOT NULL,
    trimmed   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (space, number)
) STRICT, WITHOUT ROWID;

-- A row for each time the memory was asked, what making memories cost, and which requests have feedback.

-- Written once, never changed; removed when old. `detail` has the candidates with their fates, and the parts of the context.
CREATE TABLE requests (
    space          TEXT NOT NULL,
    id             TEXT NOT NULL,
    at             INTEGER NOT NULL,
    op             TEXT NOT NULL CHECK (op IN ('context', 'ask', 'search')),
    channel        TEXT,
    person         TEXT,
    query          TEXT NOT NULL,
    searched       INTEGER NOT NULL,
    hits_summaries INTEGER NOT NULL,
    hits_words     INTEGER NOT NULL,
    hits_trigram   INTEGER NOT NULL,
    hits_meaning   INTEGER NOT NULL,
    hits_recent    INTEGER NOT NULL,
    path           TEXT NOT NULL,
    fallback       INTEGER NOT NULL,
    scope          TEXT NOT NULL,
    widened        TEXT NOT NULL,
    time_words     TEXT NOT NULL,
    items          INTEGER NOT NULL,
    tokens         INTEGER NOT NULL,
    budget         INTEGER,
    truncated      INTEGER NOT NULL,
    retrieval_ms   REAL NOT NULL,
    model_ms       REAL,
    model          TEXT,
    input_tokens   INTEGER NOT NULL,
    output_tokens  INTEGER NOT NULL,
    cached_tokens  INTEGER NOT NULL,
    error_stage    TEXT CHECK (error_stage IN ('retrieval', 'model', 'log')),
    detail         TEXT NOT NULL,
    trial          INTEGER NOT NULL DEFAULT 0,
    recipe         TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (space, id)
) STRICT;
CREATE INDEX requests_at ON requests (space, at);
-- What went wrong last, however much went right since.
CREATE INDEX requests_failed ON requests (space, at) WHERE error_stage IS NOT NULL;

-- A person's word that an answer lacked something; one per request.
CREATE TABLE feedback (
    space   TEXT NOT NULL,
    request TEXT NOT NULL,
    at      INTEGER NOT NULL,
    note    TEXT NOT NULL,
    PRIMARY KEY (space, request)
) STRICT, WITHOUT ROWID;
CREATE INDEX feedback_at ON feedback (space, at);

-- Tokens that making memories took, by day (days since 1970, UTC). `failed` of the calls gave nothing; `unborne` memories were left out
-- because no message bears them out.
CREATE TABLE usage (
    space         TEXT NOT NULL,
    day           INTEGER NOT NULL,
    task          TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    failed        INTEGER NOT NULL DEFAULT 0,
    unborne       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (space, day, task, model)
) STRICT, WITHOUT ROWID;

-- Structured memories: what is so, liked, decided, to be done or worth knowing, each with the time it holds for.

-- A thread joins what can contradict or repeat each other. When each of its memories holds follows from those of the thread alone.
CREATE TABLE structured_threads (
    space  TEXT NOT NULL,
    id     TEXT NOT NULL,
    thread TEXT NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX structured_threads_thread ON structured_threads (space, thread);

-- People and communities: who speaks where and who may hear it, what was told, days, notes, profiles.

-- Who has spoken in a channel or was declared to hear it, `since` which message; person '' is someone who was not named.
CREATE TABLE speakers (
    space   TEXT NOT NULL,
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    since   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (space, channel, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX speakers_person ON speakers (space, person);

-- Of what someone asked to be remembered of a person. `audience` is '' for what anyone in the space may hear, else the private channel.
-- `base` is the text as a model or a person last wrote it, with every telling up to `merged` in it; the memory's text has them all. Where
-- everything was forgotten there is no memory. `version` counts the changes of the text, `changed_at` is the last of them.
CREATE TABLE told (
    space      TEXT NOT NULL,
    id         TEXT NOT NULL,
    person     TEXT NOT NULL,
    audience   TEXT NOT NULL,
    version    INTEGER NOT NULL,
    base       TEXT NOT NULL,
    merged     INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX told_person ON told (space, person, audience);

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
    seq      INTEGER,
    found    INTEGER NOT NULL,
    flag     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (space, person, audience, number)
) STRICT, WITHOUT ROWID;

-- Days: `bucket` is the hour up to which a day was read, 24 when it is over and never changes again; `messages` is how many there were.
CREATE TABLE day_batches (
    space    TEXT NOT NULL,
    day      TEXT NOT NULL,
    audience TEXT NOT NULL,
    bucket   INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (space, day, audience)
) STRICT, WITHOUT ROWID;

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
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (space, person, audience)
) STRICT, WITHOUT ROWID;

-- Told, today and history merged; one row per person and audience, `hash` is of its three inputs.
CREATE TABLE portraits (
    space    TEXT NOT NULL,
    person   TEXT NOT NULL,
    audience TEXT NOT NULL,
    hash     TEXT NOT NULL,
    text     TEXT NOT NULL,
    writer   TEXT NOT NULL,
    draft    INTEGER NOT NULL,
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (space, person, audience)
) STRICT, WITHOUT ROWID;

-- The messages of a channel that no note holds yet. One buffer a channel is open; a closed one waits for its note.
CREATE TABLE buffers (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    messages   INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    closed     INTEGER NOT NULL,
    PRIMARY KEY (space, channel, first_seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX buffers_open ON buffers (space, channel) WHERE closed = 0;

-- Who took part in a note or topic.
CREATE TABLE note_people (
    space  TEXT NOT NULL,
    id     TEXT NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (space, id, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_people_person ON note_people (space, person);

-- A nightly run: one per day and space.
CREATE TABLE nights (
    space  TEXT NOT NULL,
    day    TEXT NOT NULL,
    notes  INTEGER NOT NULL,
    topics INTEGER NOT NULL,
    people INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (space, day)
) STRICT, WITHOUT ROWID;

-- When a profile last changed, and up to when it has been consolidated.
CREATE TABLE profiles (
    space           TEXT NOT NULL,
    person          TEXT NOT NULL,
    changed_at      INTEGER NOT NULL,
    consolidated_at INTEGER NOT NULL,
    PRIMARY KEY (space, person)
) STRICT, WITHOUT ROWID;

-- The server: keys, the feed of changes, and what a space may use in a day.

-- Keys of the server. Of the secret only its SHA-256 is here. The space '' is that of admin keys.
CREATE TABLE keys (
    id         TEXT PRIMARY KEY,
    space      TEXT NOT NULL,
    name       TEXT NOT NULL,
    digest     TEXT NOT NULL,
    read_only  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at    INTEGER,
    revoked_at INTEGER
);
CREATE INDEX keys_space ON keys (space, created_at);

-- What changed, in order, for whoever watches: written in the transaction of the change, kept for some days.
CREATE TABLE events (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    space   TEXT NOT NULL,
    at      INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000000 AS INTEGER)),
    kind    TEXT NOT NULL,
    action  TEXT NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT,
    person  TEXT,
    seq     INTEGER,
    until   INTEGER
);
CREATE INDEX events_feed ON events (space, number);

-- Tokens that came in over the server, per space and day, where there is a limit.
CREATE TABLE allowances (
    space  TEXT NOT NULL,
    day    TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (space, day)
);

-- The dashboard: who is signed in, and what its figures are counted by.

-- Sessions of browsers, and links that begin one. Of the token only its SHA-256 is here. `key` opened it and ends it; '' is whoever had the
-- terminal. The space '' is every space. With a person it shows what is known about that person, and nothing else.
CREATE TABLE sessions (
    digest     TEXT PRIMARY KEY,
    space      TEXT NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('link', 'session')),
    key        TEXT NOT NULL,
    person     TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
CREATE INDEX sessions_end ON sessions (expires_at);

-- Why a memory should be looked at; none of its words. `at` is the memory's. Once someone has, `version` is the one of its history they saw: a
-- later one is to be looked at again.
CREATE TABLE flags (
    space       TEXT NOT NULL,
    id          TEXT NOT NULL,
    reason      TEXT NOT NULL CHECK (reason IN ('instruction', 'authority', 'secret', 'hidden', 'sending', 'unverified', 'contradiction')),
    at          INTEGER NOT NULL,
    version     INTEGER NOT NULL DEFAULT -1,
    decision    TEXT NOT NULL DEFAULT '',
    reviewed_at INTEGER,
    reviewed_by TEXT,
    PRIMARY KEY (space, id, reason)
) STRICT, WITHOUT ROWID;

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

-- Messages that were erased, each as a keyed hash of its channel and key, and one of its author, minute and words, so that bringing them in again brings nothing back.
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

-- Which channels of a chat platform are listened to, and how far each was heard.

-- `chosen`: 1 on, 0 off, empty where nobody chose. Listened is from `since` on (empty: from the beginning). `heard`: the key of the last
-- message that needs no looking up; `audited`: how far the whole was compared again, since when last `audited_at`.
CREATE TABLE listening (
    space      TEXT NOT NULL,
    channel    TEXT NOT NULL,
    chosen     INTEGER,
    since      TEXT NOT NULL DEFAULT '',
    heard      TEXT NOT NULL DEFAULT '',
    audited    TEXT NOT NULL DEFAULT '',
    audited_at INTEGER,
    by         TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    PRIMARY KEY (space, channel)
) STRICT, WITHOUT ROWID;

-- Single messages that have other words now, or were taken back, each under the space's number of that change: whoever is making something
-- sees here whether it read one of them. No words; let go after a day.
CREATE TABLE revisions (
    space   TEXT NOT NULL,
    number  INTEGER NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (space, number, id)
) STRICT, WITHOUT ROWID;
