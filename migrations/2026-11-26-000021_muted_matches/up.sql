-- Who wants no mail about a match.
CREATE TABLE muted_matches (
  match_id TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (match_id, account_id)
);
