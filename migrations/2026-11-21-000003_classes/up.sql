-- Classes of a school, in SQL that SQLite and PostgreSQL understand alike.

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

CREATE TABLE teachers (
    class_id   TEXT    NOT NULL REFERENCES classes (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    owner      BOOLEAN NOT NULL,                  -- one owner; the others share it
    PRIMARY KEY (account_id, class_id)
);
CREATE INDEX teachers_class ON teachers (class_id);

-- The account of a pupil belongs to a class.
ALTER TABLE accounts ADD COLUMN class_id TEXT REFERENCES classes (id);
CREATE INDEX accounts_class ON accounts (class_id) WHERE class_id IS NOT NULL;

CREATE TABLE pupils (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES accounts (id),
    name       TEXT   NOT NULL,                   -- what the class calls them; becomes members.name
    phrase     TEXT   NOT NULL,                   -- KEY:NONCE:TEXT, the pass phrase, encrypted
    removed_at BIGINT                             -- former pupil: cannot sign in, what they did stays in the lessons
);

-- Whether a session lasts longer because it is used; one by the code of a lesson ends when it was to end.
ALTER TABLE sessions ADD COLUMN renews BOOLEAN NOT NULL DEFAULT TRUE;

-- A lesson is a match of a class. The code is what pupils type to join it, while it can be joined.
ALTER TABLE team_matches ADD COLUMN class_id TEXT REFERENCES classes (id);
ALTER TABLE team_matches ADD COLUMN code TEXT;
CREATE INDEX team_matches_class ON team_matches (class_id, updated_at) WHERE class_id IS NOT NULL;
CREATE UNIQUE INDEX team_matches_code ON team_matches (code) WHERE code IS NOT NULL;

-- When a live page of a member last asked.
ALTER TABLE members ADD COLUMN seen_at BIGINT;
