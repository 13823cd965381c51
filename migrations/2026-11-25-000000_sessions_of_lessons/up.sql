-- A session that began by the code of a lesson is good in that lesson only. Those that are there now do not know theirs:
-- their pupils come by the code once more.
DELETE FROM sessions WHERE NOT renews;
ALTER TABLE sessions ADD COLUMN match_id TEXT;  -- none: it began with a password, three words or a card, and is good everywhere
ALTER TABLE sessions DROP COLUMN renews;
