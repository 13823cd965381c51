-- When a process last wrote that people can play: one row. What lies between that and the next time is nobody's.
CREATE TABLE heartbeat (
    id INTEGER PRIMARY KEY,
    beat_at BIGINT NOT NULL
);

-- Times in which nobody could play, until every match has got them back.
CREATE TABLE outages (
    until BIGINT PRIMARY KEY,
    since BIGINT NOT NULL
);
