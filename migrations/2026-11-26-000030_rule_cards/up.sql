-- Rule cards that teachers made for a class. The text of the turn says the kind, the rule and its words.
CREATE TABLE rule_cards (
    id       TEXT   NOT NULL PRIMARY KEY,
    class_id TEXT   NOT NULL REFERENCES classes (id),
    name     TEXT   NOT NULL,
    turn     TEXT   NOT NULL,
    made_at  BIGINT NOT NULL
);
CREATE INDEX rule_cards_class ON rule_cards (class_id, made_at);
