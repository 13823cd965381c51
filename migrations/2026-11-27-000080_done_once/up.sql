-- Forms that make something, by the hash of their number: a form that is sent twice makes it once.
CREATE TABLE done_once (
    number_hash TEXT   NOT NULL PRIMARY KEY,
    -- The page that the first one led to; none as long as it is at work.
    leads_to    TEXT,
    at          BIGINT NOT NULL
);
CREATE INDEX done_once_at ON done_once (at);
