-- The names that a device had in a lesson before all were started anew: what it has seen of a side stays known.
CREATE TABLE left_names (
    match_id   TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    browser    TEXT NOT NULL,
    PRIMARY KEY (match_id, account_id, browser)
);
CREATE INDEX left_names_account ON left_names (account_id);
