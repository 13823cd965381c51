-- The mails in hand are asked for before each lease, also while very many wait.
CREATE INDEX outbox_leased ON outbox (leased_until) WHERE leased_until IS NOT NULL;
