-- The number of messages of a correspondence match that a member has seen; what was said until now counts as seen.
ALTER TABLE members ADD COLUMN talk_seen INTEGER NOT NULL DEFAULT 0;
UPDATE members SET talk_seen = (SELECT talk_head FROM matches WHERE matches.id = members.match_id);
