-- The log. Numbers are the row ids: they grow by one, and nothing is ever deleted.
CREATE TABLE events (
    number  INTEGER PRIMARY KEY,
    stream  TEXT    NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    at_ms   INTEGER NOT NULL,
    kind    TEXT    NOT NULL,
    data    TEXT    NOT NULL,
    UNIQUE (stream, version)
) STRICT;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- The one change allowed is to blank a payload (a purge must be able to forget).
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
WHEN NOT (NEW.data = 'null' AND NEW.number = OLD.number AND NEW.stream = OLD.stream
          AND NEW.version = OLD.version AND NEW.at_ms = OLD.at_ms AND NEW.kind = OLD.kind)
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- Appends that carried an idempotency key. They live as long as the log.
CREATE TABLE append_keys (
    key           TEXT    NOT NULL PRIMARY KEY,
    first_number  INTEGER NOT NULL REFERENCES events (number),
    last_number   INTEGER NOT NULL REFERENCES events (number)
) STRICT, WITHOUT ROWID;

CREATE TABLE projections (
    name  TEXT NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;

-- Answers to HTTP requests that carried an Idempotency-Key.
CREATE TABLE responses (
    key           TEXT    NOT NULL PRIMARY KEY,
    fingerprint   TEXT    NOT NULL,
    response      TEXT    NOT NULL,
    expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX responses_by_expiry ON responses (expires_at_ms);

CREATE TABLE outbox (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    stream  TEXT    NOT NULL,
    kind    TEXT    NOT NULL,
    data    TEXT    NOT NULL,
    key     TEXT    NOT NULL UNIQUE,
    done    INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1))
) STRICT;
CREATE INDEX outbox_pending ON outbox (id) WHERE done = 0;

CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Tokens and codes are random; only their SHA-256 is kept.
CREATE TABLE devices (
    id            TEXT    NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL,
    token_hash    BLOB    NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    created_at_ms INTEGER NOT NULL,
    last_seen_ms  INTEGER,
    revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE login_codes (
    code_hash     BLOB    NOT NULL PRIMARY KEY CHECK (length(code_hash) = 32),
    expires_at_ms INTEGER NOT NULL,
    used_at_ms    INTEGER
) STRICT, WITHOUT ROWID;

-- High-water marks of reserved sequence numbers.
CREATE TABLE sequences (
    stream TEXT    NOT NULL PRIMARY KEY,
    upto   INTEGER NOT NULL CHECK (upto >= 0)
) STRICT, WITHOUT ROWID;
