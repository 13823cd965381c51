-- Whether the squares of chess boards are numbered from 1 to 64.
ALTER TABLE accounts ADD COLUMN numbered BOOLEAN NOT NULL DEFAULT FALSE;
