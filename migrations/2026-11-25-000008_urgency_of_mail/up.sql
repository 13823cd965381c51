-- What is urgent leaves first, however much waits.
ALTER TABLE outbox ADD COLUMN urgency INTEGER NOT NULL DEFAULT 1;
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (urgency, due_at) WHERE sent_at IS NULL AND dead_at IS NULL;
