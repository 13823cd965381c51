-- When a visitor began to play without an account; none for all others.
ALTER TABLE accounts ADD COLUMN guest_since BIGINT;
CREATE INDEX accounts_guests ON accounts (guest_since) WHERE guest_since IS NOT NULL;
