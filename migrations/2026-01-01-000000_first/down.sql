DROP TABLE outbox;
DROP TABLE talk;
DROP TABLE events;
DROP TABLE players;
DROP TABLE matches;
DROP TABLE sessions;
DROP TABLE accounts;
