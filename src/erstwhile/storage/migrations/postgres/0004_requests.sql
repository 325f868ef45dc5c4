-- A row for each time the memory was asked, what making memories cost, and which requests people complained about.

-- Written once, never changed; removed when old. `detail` has the candidates with their fates, and the parts of the context.
CREATE TABLE requests (
    space          TEXT NOT NULL,
    id             TEXT NOT NULL,
    at             BIGINT NOT NULL,
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
    retrieval_ms   DOUBLE PRECISION NOT NULL,
    model_ms       DOUBLE PRECISION,
    model          TEXT,
    input_tokens   INTEGER NOT NULL,
    output_tokens  INTEGER NOT NULL,
    cached_tokens  INTEGER NOT NULL,
    error_stage    TEXT CHECK (error_stage IN ('retrieval', 'model', 'log')),
    detail         TEXT NOT NULL,
    PRIMARY KEY (space, id)
);
CREATE INDEX requests_at ON requests (space, at);

-- A person's word that an answer lacked something; one per request.
CREATE TABLE complaints (
    space   TEXT NOT NULL,
    request TEXT NOT NULL,
    at      BIGINT NOT NULL,
    note    TEXT NOT NULL,
    PRIMARY KEY (space, request)
);
CREATE INDEX complaints_at ON complaints (space, at);

-- Tokens that making memories took, by day (days since 1970, UTC).
CREATE TABLE usage (
    space         TEXT NOT NULL,
    day           BIGINT NOT NULL,
    task          TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         BIGINT NOT NULL,
    input_tokens  BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    PRIMARY KEY (space, day, task, model)
);
