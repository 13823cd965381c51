-- The tables of Perplex, in SQL that SQLite and PostgreSQL understand alike.
-- Ids are made by the program, as text. Times (…_at, deadline, …_until) are microseconds since 1970-01-01 UTC.

CREATE TABLE classes (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    roster      BOOLEAN NOT NULL,                 -- pupils pick their names from a list; else each gets a nickname on joining
    keep_days   INTEGER NOT NULL,                 -- removed with all it holds after so many days in which it was not used
    created_at  BIGINT  NOT NULL,
    used_at     BIGINT  NOT NULL,
    archived_at BIGINT
);
CREATE INDEX classes_used ON classes (used_at);

CREATE TABLE accounts (
    id              TEXT    NOT NULL PRIMARY KEY,
    name            TEXT    NOT NULL,             -- empty once deleted
    name_key        TEXT             UNIQUE,      -- the name folded for comparing
    email           TEXT,
    email_key       TEXT             UNIQUE,
    verified_at     BIGINT,
    password        TEXT    NOT NULL,             -- argon2id in PHC form; empty once deleted
    preferences     TEXT    NOT NULL,             -- JSON; what is not in it has its default
    mail_off        TEXT    NOT NULL,             -- kinds of mail switched off, separated by commas
    is_admin        BOOLEAN NOT NULL,
    created_at      BIGINT  NOT NULL,
    deleted_at      BIGINT,
    waiting_mail_at BIGINT,                       -- when the account was last told what waits in team matches
    help_seen       TEXT    NOT NULL DEFAULT '',  -- the duties whose walk-through was seen, separated by commas
    class_id        TEXT             REFERENCES classes (id)  -- of a pupil's account
);
CREATE INDEX accounts_created ON accounts (created_at);
CREATE INDEX accounts_class ON accounts (class_id) WHERE class_id IS NOT NULL;

CREATE TABLE sessions (
    id         TEXT    NOT NULL PRIMARY KEY,
    token_hash TEXT    NOT NULL UNIQUE,
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    created_at BIGINT  NOT NULL,
    seen_at    BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    agent      TEXT    NOT NULL,                  -- what the browser calls itself
    address    TEXT    NOT NULL,                  -- where it was last seen
    renews     BOOLEAN NOT NULL                   -- lasts longer because it is used; one by the code of a lesson does not
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE teachers (
    class_id   TEXT    NOT NULL REFERENCES classes (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    owner      BOOLEAN NOT NULL,                  -- one owner; the others share it
    PRIMARY KEY (account_id, class_id)
);
CREATE INDEX teachers_class ON teachers (class_id);

CREATE TABLE pupils (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES accounts (id),
    name       TEXT   NOT NULL,                   -- what the class calls them; becomes members.name
    phrase     TEXT   NOT NULL,                   -- KEY:NONCE:TEXT, the pass phrase, encrypted
    removed_at BIGINT                             -- former pupil: cannot sign in, what they did stays in the lessons
);

-- A match of either kind. The row is a projection of its journal, written with the events, so that lists need no
-- replay; head guards the journal.
CREATE TABLE matches (
    id         TEXT    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN ('correspondence', 'team')),
    title      TEXT    NOT NULL,                  -- of a team match
    game       TEXT    NOT NULL,
    variant    TEXT    NOT NULL,                  -- of a team match its size
    days       INTEGER NOT NULL,                  -- for a turn; 0 in a team match
    phase      TEXT    NOT NULL CHECK (phase IN ('gathering', 'playing', 'over')),
    listed     BOOLEAN NOT NULL,
    head       INTEGER NOT NULL,                  -- number of the last event
    talk_head  INTEGER NOT NULL,                  -- how many messages were written in all its channels
    names      INTEGER NOT NULL,                  -- how often people in it were renamed or deleted
    ply        INTEGER NOT NULL,                  -- turns played; 0 in a team match
    created_by TEXT    NOT NULL REFERENCES accounts (id),  -- the host of a team match
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    to_move    TEXT             REFERENCES accounts (id),
    deadline   BIGINT,                            -- when time runs out: the player's, or the match's
    look_at    BIGINT,                            -- when to look who is to be told by mail what waits
    winner     TEXT             CHECK (winner IN ('first', 'second', 'draw')),
    reason     TEXT,
    class_id   TEXT             REFERENCES classes (id),   -- of a lesson
    code       TEXT                               -- what pupils type to join a lesson, while it can be joined
);
CREATE INDEX matches_phase ON matches (phase, updated_at);
CREATE INDEX matches_listed ON matches (kind, updated_at) WHERE listed;
CREATE INDEX matches_created_by ON matches (created_by);
CREATE INDEX matches_deadline ON matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX matches_to_move ON matches (to_move, updated_at) WHERE to_move IS NOT NULL;
CREATE INDEX matches_look ON matches (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX matches_class ON matches (class_id, updated_at) WHERE class_id IS NOT NULL;
CREATE UNIQUE INDEX matches_code ON matches (code) WHERE code IS NOT NULL;

CREATE TABLE events (
    match_id TEXT    NOT NULL REFERENCES matches (id),
    number   INTEGER NOT NULL,                    -- from 1, without gaps
    at       BIGINT  NOT NULL,
    by_actor TEXT    NOT NULL,                    -- server, host, an account, or the number of a member
    what     TEXT    NOT NULL,                    -- canonical text
    PRIMARY KEY (match_id, number)
);

CREATE TABLE members (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    number     INTEGER NOT NULL,                  -- from 1, in the order of joining; once seats are given out, in theirs
    account_id TEXT             REFERENCES accounts (id),
    name       TEXT    NOT NULL,                  -- what others see in a team match; empty once deleted
    active     BOOLEAN NOT NULL,                  -- has not left
    seat       INTEGER,                           -- in a correspondence match, from 0, in the order of play
    seen_at    BIGINT,                            -- when a live page of theirs last asked
    PRIMARY KEY (match_id, number)
);
CREATE UNIQUE INDEX members_account ON members (account_id, match_id) WHERE active;

CREATE TABLE invitations (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (account_id, match_id)
);
CREATE INDEX invitations_match ON invitations (match_id);

CREATE TABLE channels (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    number     INTEGER NOT NULL,                  -- 0 everybody's, 1 White's, 2 Black's, from 3 private ones
    team       TEXT             CHECK (team IN ('first', 'second')),
    head       INTEGER NOT NULL,                  -- number of the last message
    PRIMARY KEY (match_id, number)
);

CREATE TABLE listeners (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    channel    INTEGER NOT NULL,
    member     INTEGER NOT NULL,                  -- 0 is the host
    admitted   BOOLEAN NOT NULL,                  -- may read a private channel
    seen       INTEGER NOT NULL,                  -- number of the last message read
    PRIMARY KEY (match_id, channel, member)
);

CREATE TABLE messages (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    channel    INTEGER NOT NULL,
    number     INTEGER NOT NULL,                  -- from 1 in each channel, without gaps
    at         BIGINT  NOT NULL,
    by_actor   TEXT    NOT NULL,                  -- as in events
    sealed     TEXT    NOT NULL,                  -- KEY:NONCE:TEXT, encrypted
    event      INTEGER,                           -- the event it came with, if it is the note to a turn
    PRIMARY KEY (match_id, channel, number)
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
    attempts     INTEGER NOT NULL,
    leased_until BIGINT,
    sent_at      BIGINT,
    dead_at      BIGINT,
    error        TEXT,
    message_id   TEXT    NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE sent_at IS NULL AND dead_at IS NULL;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at IS NOT NULL;
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE sent_at IS NOT NULL;
