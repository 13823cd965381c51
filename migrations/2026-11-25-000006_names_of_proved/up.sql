-- A name belongs to an account once its address is proved: so no answer tells whether an address has an account.
UPDATE accounts SET name_key = NULL WHERE verified_at IS NULL AND email IS NOT NULL;
