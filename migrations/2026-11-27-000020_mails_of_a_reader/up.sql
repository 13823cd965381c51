-- The mails that an account was written lately: above some in an hour they leave together.
CREATE INDEX outbox_written ON outbox (account_id, created_at);
