-- Up to which event a member has put the cards of a team match away.
ALTER TABLE members ADD COLUMN news_seen INTEGER NOT NULL DEFAULT 0;
