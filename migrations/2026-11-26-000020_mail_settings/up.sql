-- Which mails an account wants, and when: JSON.
ALTER TABLE accounts ADD COLUMN mail TEXT NOT NULL DEFAULT '{}';
UPDATE accounts SET mail = '{"when":{"' || REPLACE(mail_off, ',', '":"never","') || '":"never"}}' WHERE mail_off <> '';
ALTER TABLE accounts DROP COLUMN mail_off;
-- What is due for one reader goes into one mail.
CREATE INDEX outbox_reader ON outbox (account_id, due_at) WHERE sent_at IS NULL AND dead_at IS NULL;
