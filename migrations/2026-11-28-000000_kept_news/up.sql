-- Of the events of a team match up to `news_seen`, or `seen`, those whose cards still wait.
ALTER TABLE members ADD COLUMN news_kept TEXT NOT NULL DEFAULT '';
ALTER TABLE host_news ADD COLUMN kept TEXT NOT NULL DEFAULT '';
