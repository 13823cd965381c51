-- How often somebody in the match was renamed or deleted: with the two heads it says whether a page
-- about the match is still right.
ALTER TABLE matches ADD COLUMN names INTEGER NOT NULL DEFAULT 0;
