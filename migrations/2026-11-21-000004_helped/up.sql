-- The duties whose walk-through somebody has seen, separated by commas.
ALTER TABLE accounts ADD COLUMN helped TEXT NOT NULL DEFAULT '';
