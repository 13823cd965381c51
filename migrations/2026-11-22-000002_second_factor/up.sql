-- When the password was last typed in a session. Sessions that began before have to prove themselves.
ALTER TABLE sessions ADD COLUMN proved_at BIGINT NOT NULL DEFAULT 0;
-- No session lasts longer than 180 days, however it is used: those that began before are cut to that.
UPDATE sessions SET expires_at = created_at + 15552000000000 WHERE expires_at > created_at + 15552000000000;

-- Accounts that ask for a code (RFC 6238) beside the password.
CREATE TABLE second_factors (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES accounts (id),
    secret     TEXT   NOT NULL,                   -- KEY:NONCE:TEXT, encrypted
    last_step  BIGINT NOT NULL,                   -- codes up to this step are no longer good
    created_at BIGINT NOT NULL
);

-- Codes that stand in for a lost device, each good once.
CREATE TABLE recovery_codes (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    hash       TEXT NOT NULL,                     -- a MAC under the installation's key
    PRIMARY KEY (account_id, hash)
);
