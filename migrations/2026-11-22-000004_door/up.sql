-- Who stands at the door of a lesson, and which names belong to which device.
ALTER TABLE matches ADD COLUMN door INTEGER NOT NULL DEFAULT 0;               -- how often something changed there
ALTER TABLE matches ADD COLUMN latecomers BOOLEAN NOT NULL DEFAULT FALSE;     -- who comes late waits for no tap

-- How often the links of a match, for joining and for the projector, were made anew.
ALTER TABLE matches ADD COLUMN links INTEGER NOT NULL DEFAULT 0;

-- A device that waits until the teacher lets it in.
CREATE TABLE knocks (
    id         TEXT    NOT NULL PRIMARY KEY,
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    account_id TEXT             REFERENCES accounts (id),  -- none: who gets a nickname
    browser    TEXT    NOT NULL,                           -- hash of what tells it from others
    at         BIGINT  NOT NULL,
    let_in     BOOLEAN                                     -- none: not yet answered
);
CREATE UNIQUE INDEX knocks_browser ON knocks (match_id, browser);
CREATE INDEX knocks_account ON knocks (account_id);

-- A name that was taken in a lesson belongs to a device.
CREATE TABLE taken_names (
    match_id   TEXT    NOT NULL REFERENCES matches (id),
    account_id TEXT    NOT NULL REFERENCES accounts (id),
    browser    TEXT    NOT NULL,
    PRIMARY KEY (match_id, account_id)
);
CREATE INDEX taken_names_account ON taken_names (account_id);
