-- The last event of a team match whose card a host has put away who is no member of it.
CREATE TABLE host_news (
  match_id TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  seen INTEGER NOT NULL,
  PRIMARY KEY (match_id, account_id)
);
