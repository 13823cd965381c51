ALTER TABLE accounts DROP COLUMN helped;
