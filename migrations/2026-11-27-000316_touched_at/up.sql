-- When a page of a team match was last shown to its member who had just touched it; `seen_at` says that one was open.
ALTER TABLE members ADD COLUMN touched_at BIGINT;
UPDATE members SET touched_at = seen_at;
