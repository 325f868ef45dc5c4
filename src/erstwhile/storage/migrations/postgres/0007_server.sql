-- The server: keys, the feed of changes, and what a space may use in a day.

-- Keys of the server. Of the secret only its SHA-256 is here. The space '' is that of admin keys.
CREATE TABLE keys (
    id         TEXT PRIMARY KEY,
    space      TEXT NOT NULL,
    name       TEXT NOT NULL,
    digest     TEXT NOT NULL,
    read_only  INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    used_at    BIGINT,
    revoked_at BIGINT
);
CREATE INDEX keys_space ON keys (space, created_at);

-- What changed, in order, for whoever watches: written in the transaction of the change, kept for some days. A reader sees events only once
-- every transaction as old as theirs has ended, in the order of (stamp, number): nothing comes late, so nothing is missed or seen twice.
CREATE TABLE events (
    number  BIGINT GENERATED ALWAYS AS IDENTITY,
    stamp   BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    space   TEXT NOT NULL,
    at      BIGINT NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    kind    TEXT NOT NULL,
    action  TEXT NOT NULL,
    id      TEXT NOT NULL,
    channel TEXT,
    person  TEXT,
    seq     BIGINT,
    until   BIGINT,
    PRIMARY KEY (space, stamp, number)
);
CREATE INDEX events_at ON events (at);

-- Memories from the newest back, without passing through the messages.
CREATE INDEX documents_memories ON documents (space, doc) WHERE kind <> 'message';

-- Tokens that came in over the server, per space and day, where there is a limit.
CREATE TABLE allowances (
    space  TEXT NOT NULL,
    day    TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (space, day)
);
