-- Addresses that an account had when another was asked for: a mailed link brings one back.
CREATE TABLE old_addresses (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES accounts (id),
    email      TEXT   NOT NULL,
    asked_at   BIGINT NOT NULL
);
CREATE INDEX old_addresses_account ON old_addresses (account_id);
