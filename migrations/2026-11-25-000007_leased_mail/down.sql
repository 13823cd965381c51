DROP INDEX outbox_leased;
