-- Who was invited to a match by mail: the invitation belongs to the address, and waits for whoever has it.
CREATE TABLE invited_addresses (
  match_id TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  email_key TEXT NOT NULL,
  email TEXT NOT NULL,
  sent_at BIGINT NOT NULL,
  declined BOOLEAN NOT NULL,
  PRIMARY KEY (match_id, email_key)
);
CREATE INDEX invited_addresses_by_key ON invited_addresses (email_key);
