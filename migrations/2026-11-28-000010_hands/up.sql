-- Since when a member of a lesson asks its teacher for help, by a raised hand.
ALTER TABLE members ADD COLUMN hand_at BIGINT;
