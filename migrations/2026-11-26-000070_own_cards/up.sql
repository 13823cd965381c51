-- Rule cards of their own: a class's, a host's, or those that a player keeps for one match. The text of the turn says the
-- kind, the rule and its words. A class's card has the class alone, a host's the account alone, a kept one account and match.
CREATE TABLE own_cards (
  id TEXT NOT NULL PRIMARY KEY,
  class_id TEXT REFERENCES classes (id),
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  match_id TEXT REFERENCES matches (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  turn TEXT NOT NULL,
  made_at BIGINT NOT NULL
);
CREATE INDEX own_cards_class ON own_cards (class_id, made_at);
CREATE INDEX own_cards_account ON own_cards (account_id, match_id, made_at);
CREATE INDEX own_cards_match ON own_cards (match_id);
INSERT INTO own_cards (id, class_id, name, turn, made_at) SELECT id, class_id, name, turn, made_at FROM rule_cards;
INSERT INTO own_cards (id, account_id, match_id, name, turn, made_at) SELECT id, account_id, match_id, name, turn, made_at FROM hand_cards;
DROP TABLE rule_cards;
DROP TABLE hand_cards;
