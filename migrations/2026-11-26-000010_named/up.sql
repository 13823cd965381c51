-- The last message of a channel whose card its listener has put away: a message that names them is shown as a card.
ALTER TABLE listeners ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
