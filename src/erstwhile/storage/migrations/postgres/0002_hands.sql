-- What people do to memories by hand, what a space chooses for itself, and the rolling brief.

-- The history of a memory: a row per version, the newest being what its own table holds.
CREATE TABLE versions (
    space   TEXT NOT NULL,
    id      TEXT NOT NULL,
    version INTEGER NOT NULL,
    action  TEXT NOT NULL CHECK (action IN ('written', 'replaced', 'edited', 'deleted')),
    text    TEXT NOT NULL,
    writer  TEXT NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (space, id, version)
);

-- Prompts that a space or a person in it put in place of ours; person '' is the space itself.
CREATE TABLE prompts (
    space        TEXT NOT NULL,
    person       TEXT NOT NULL,
    name         TEXT NOT NULL,
    instructions TEXT NOT NULL,
    set_at       BIGINT NOT NULL,
    PRIMARY KEY (space, person, name)
);

-- Settings that a space has of its own; a secret is stored encrypted.
CREATE TABLE space_settings (
    space  TEXT NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    secret INTEGER NOT NULL,
    set_at BIGINT NOT NULL,
    PRIMARY KEY (space, name)
);

ALTER TABLE facts ADD COLUMN importance INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts ADD COLUMN category TEXT NOT NULL DEFAULT '';

-- Facts of different channels that tell of the same thing about the same person; stored both ways.
CREATE TABLE fact_links (
    space TEXT NOT NULL,
    id    TEXT NOT NULL,
    other TEXT NOT NULL,
    PRIMARY KEY (space, id, other)
);

-- One rolling summary per channel: what a model folded up to `cursor`, what was drafted without one up to `draft_cursor`.
CREATE TABLE briefs (
    space        TEXT NOT NULL,
    channel      TEXT NOT NULL,
    id           TEXT NOT NULL,
    text         TEXT NOT NULL,
    cursor       BIGINT NOT NULL,
    draft_text   TEXT NOT NULL,
    draft_cursor BIGINT NOT NULL,
    writer       TEXT NOT NULL,
    folded       INTEGER NOT NULL,
    pending      INTEGER NOT NULL,
    created_at   BIGINT NOT NULL,
    edited_at    BIGINT,
    edited_by    TEXT,
    PRIMARY KEY (space, channel)
);
CREATE UNIQUE INDEX briefs_id ON briefs (space, id);
