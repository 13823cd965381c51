-- Names that accounts had, as keyed hashes: for a while no other account gets them.
CREATE TABLE former_names (
    name_hash  TEXT   NOT NULL PRIMARY KEY,
    -- The account that has another name now; none once it is deleted.
    account_id TEXT   REFERENCES accounts (id),
    until      BIGINT NOT NULL
);
CREATE INDEX former_names_account ON former_names (account_id);
