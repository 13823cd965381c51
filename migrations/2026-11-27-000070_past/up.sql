-- Outages are kept once their time is given back: nothing grows old in them.
ALTER TABLE outages ADD COLUMN settled BOOLEAN NOT NULL DEFAULT FALSE;
-- When the clock was last set, or went on after a long outage.
ALTER TABLE heartbeat ADD COLUMN jumped_at BIGINT;
