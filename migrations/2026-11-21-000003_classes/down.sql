ALTER TABLE accounts DROP COLUMN numbered;
