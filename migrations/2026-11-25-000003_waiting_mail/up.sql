-- The mails that wait for an account: what happens meanwhile is told with them.
CREATE INDEX outbox_waiting ON outbox (account_id, kind) WHERE sent_at IS NULL AND dead_at IS NULL;
-- The last event of a match that a mail told a member.
ALTER TABLE members ADD COLUMN news_mailed INTEGER NOT NULL DEFAULT 0;
