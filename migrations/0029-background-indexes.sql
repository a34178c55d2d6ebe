-- Presence that has expired is deleted by the minute. The table is unlogged, so the index is, too.
CREATE INDEX CONCURRENTLY presence_by_end ON presence (until);

-- A browser that subscribes ends earlier subscriptions with the same address.
CREATE INDEX CONCURRENTLY push_target_by_url ON push_target USING hash (url);
