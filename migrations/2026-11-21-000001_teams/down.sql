DROP TABLE messages;
DROP TABLE listeners;
DROP TABLE channels;
DROP TABLE members;
DROP TABLE team_events;
DROP TABLE team_matches;
