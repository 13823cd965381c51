-- Matches of whole teams (Perplexichess), in SQL that SQLite and PostgreSQL understand alike.

CREATE TABLE team_matches (
    id         TEXT    NOT NULL PRIMARY KEY,
    title      TEXT    NOT NULL,
    host       TEXT    NOT NULL REFERENCES accounts (id),
    size       TEXT    NOT NULL,
    phase      TEXT    NOT NULL CHECK (phase IN ('gathering', 'playing', 'over')),
    listed     BOOLEAN NOT NULL,
    head       INTEGER NOT NULL,                  -- number of the last event; guards the journal
    created_at BIGINT  NOT NULL,
    updated_at BIGINT  NOT NULL,
    deadline   BIGINT,                            -- when the time is up
    mail_at    BIGINT,                            -- when to look next who is to be told by mail what waits
    winner     TEXT             CHECK (winner IN ('first', 'second', 'draw'))
);
CREATE INDEX team_matches_host ON team_matches (host, updated_at);
CREATE INDEX team_matches_lobby ON team_matches (updated_at) WHERE listed;
CREATE INDEX team_matches_deadline ON team_matches (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX team_matches_mail ON team_matches (mail_at) WHERE mail_at IS NOT NULL;

CREATE TABLE team_events (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    number     INTEGER NOT NULL,                  -- from 1, without gaps
    at         BIGINT  NOT NULL,
    by_actor   TEXT    NOT NULL,                  -- server, host, or the number of a member
    what       TEXT    NOT NULL,                  -- canonical text
    PRIMARY KEY (match_id, number)
);

CREATE TABLE members (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    number     INTEGER NOT NULL,                  -- from 1, in the order of joining
    account_id TEXT             REFERENCES accounts (id),
    name       TEXT    NOT NULL,                  -- what others see; empty once deleted
    active     BOOLEAN NOT NULL,                  -- has not left
    PRIMARY KEY (match_id, number)
);
CREATE UNIQUE INDEX members_account ON members (account_id, match_id) WHERE active;

CREATE TABLE team_invitations (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    PRIMARY KEY (account_id, match_id)
);
CREATE INDEX team_invitations_match ON team_invitations (match_id);

CREATE TABLE channels (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    number     INTEGER NOT NULL,                  -- 0 public, 1 White's, 2 Black's, from 3 private ones
    team       TEXT             CHECK (team IN ('first', 'second')),
    head       INTEGER NOT NULL,                  -- number of the last message
    PRIMARY KEY (match_id, number)
);

CREATE TABLE listeners (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    channel    INTEGER NOT NULL,
    member     INTEGER NOT NULL,                  -- 0 is the host
    admitted   BOOLEAN NOT NULL,                  -- may read a private channel
    seen       INTEGER NOT NULL,                  -- number of the last message read
    PRIMARY KEY (match_id, channel, member)
);

CREATE TABLE messages (
    match_id   TEXT    NOT NULL REFERENCES team_matches (id),
    channel    INTEGER NOT NULL,
    number     INTEGER NOT NULL,                  -- from 1 in each channel, without gaps
    at         BIGINT  NOT NULL,
    by_actor   TEXT    NOT NULL,
    sealed     TEXT    NOT NULL,                  -- KEY:NONCE:TEXT, encrypted
    PRIMARY KEY (match_id, channel, number)
);

ALTER TABLE outbox ADD COLUMN team_id TEXT REFERENCES team_matches (id);
-- When somebody was last told what waits in team matches.
ALTER TABLE accounts ADD COLUMN waiting_mail_at BIGINT;
