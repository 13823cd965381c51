ALTER TABLE accounts DROP COLUMN waiting_mail_at;
ALTER TABLE outbox DROP COLUMN team_id;
DROP TABLE messages;
DROP TABLE listeners;
DROP TABLE channels;
DROP TABLE team_invitations;
DROP TABLE members;
DROP TABLE team_events;
DROP TABLE team_matches;
