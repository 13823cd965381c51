-- Rule cards that players keep for one match; only they see them. The text of the turn says the kind, the rule and its words.
CREATE TABLE hand_cards (
  id TEXT NOT NULL PRIMARY KEY,
  match_id TEXT NOT NULL REFERENCES matches (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  turn TEXT NOT NULL,
  made_at BIGINT NOT NULL
);
CREATE INDEX hand_cards_player ON hand_cards (match_id, account_id, made_at);
