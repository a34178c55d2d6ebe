ALTER TABLE service
    -- How often devices' sessions have ended. As long as it stays the same, so do the sessions that somebody has seen.
    ADD COLUMN sessions_ended bigint NOT NULL DEFAULT 0;
