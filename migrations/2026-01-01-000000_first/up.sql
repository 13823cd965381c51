-- The tables of Perplex, in SQL that SQLite and PostgreSQL understand alike.
-- Ids are made by the program, as text. Times (…_at, deadline, …_until) are microseconds since 1970-01-01 UTC.

CREATE TABLE accounts (
    id            TEXT    NOT NULL PRIMARY KEY,
    name          TEXT    NOT NULL,               -- empty once deleted
    name_key      TEXT             UNIQUE,        -- the name folded for comparing
    email         TEXT,
    email_key     TEXT             UNIQUE,
    verified_at   BIGINT,
    password      TEXT    NOT NULL,               -- argon2id in PHC form; empty once deleted
    zone          TEXT    NOT NULL,               -- IANA name, such as Europe/Berlin
    confirm_turns BOOLEAN NOT NULL,
    coordinates   BOOLEAN NOT NULL,
    theme         TEXT    NOT NULL,
    mail_off      TEXT    NOT NULL,               -- kinds of mail switched off, separated by commas
    host          BOOLEAN NOT NULL,
    created_at    BIGINT  NOT NULL,
    deleted_at    BIGINT
);
CREATE INDEX accounts_created ON accounts (created_at);

CREATE TABLE sessions (
    id         TEXT   NOT NULL PRIMARY KEY,
    token_hash TEXT   NOT NULL UNIQUE,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    agent      TEXT   NOT NULL,                   -- what the browser calls itself
    address    TEXT   NOT NULL                    -- where it was last seen
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE matches (
    id         TEXT    NOT NULL PRIMARY KEY,
    game       TEXT    NOT NULL,
    variant    TEXT    NOT NULL,
    days       INTEGER NOT NULL,
    phase      TEXT    NOT NULL CHECK (phase IN ('gathering', 'playing', 'over')),
    listed     BOOLEAN NOT NULL,
    head       INTEGER NOT NULL,                  -- number of the last event; guards the journal
    ply        INTEGER NOT NULL,
    talk_head  INTEGER NOT NULL,                  -- number of the last message
    created_by TEXT    NOT NULL REFERENCES accounts (id),
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    to_move    TEXT             REFERENCES accounts (id),
    deadline   BIGINT,
    remind_at  BIGINT,
    winner     TEXT             CHECK (winner IN ('first', 'second', 'draw')),
    reason     TEXT
);
CREATE INDEX matches_phase ON matches (phase, updated_at);
CREATE INDEX matches_lobby ON matches (created_at) WHERE listed;
CREATE INDEX matches_deadline ON matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX matches_to_move ON matches (to_move, updated_at) WHERE to_move IS NOT NULL;
CREATE INDEX matches_remind ON matches (remind_at) WHERE remind_at IS NOT NULL;

CREATE TABLE players (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    role       TEXT    NOT NULL CHECK (role IN ('invited', 'joined', 'seated')),
    seat       INTEGER,                           -- from 0, in the order of play
    seen_talk  INTEGER NOT NULL DEFAULT 0,        -- number of the last message read
    PRIMARY KEY (match_id, account_id)
);
CREATE INDEX players_account ON players (account_id, match_id);

CREATE TABLE events (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    number     INTEGER NOT NULL,                  -- from 1, without gaps
    at         BIGINT  NOT NULL,
    by_account TEXT             REFERENCES accounts (id),
    what       TEXT    NOT NULL,                  -- canonical text
    PRIMARY KEY (match_id, number)
);

CREATE TABLE talk (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    number     INTEGER NOT NULL,                  -- from 1, without gaps
    at         BIGINT  NOT NULL,
    by_account TEXT    NOT NULL REFERENCES accounts (id),
    text       TEXT    NOT NULL,
    event      INTEGER,                           -- the event it came with, if any
    PRIMARY KEY (match_id, number)
);

CREATE TABLE outbox (
    id           TEXT    NOT NULL PRIMARY KEY,
    kind         TEXT    NOT NULL,
    account_id   TEXT             REFERENCES accounts (id),
    address      TEXT    NOT NULL,
    match_id     TEXT             REFERENCES matches (id),
    event        INTEGER,
    payload      TEXT    NOT NULL,                -- JSON: what the mail is composed from
    created_at   BIGINT  NOT NULL,
    due_at       BIGINT  NOT NULL,
    tries        INTEGER NOT NULL,
    leased_until BIGINT,
    sent_at      BIGINT,
    dead_at      BIGINT,
    error        TEXT,
    message_id   TEXT    NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE sent_at IS NULL AND dead_at IS NULL;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
