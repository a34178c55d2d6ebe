-- The processes of the service that run, so that diagnostics say with which settings. One that has ended in order leaves no
-- row; other rows are out of date after minutes.

CREATE TABLE process (
    id uuid PRIMARY KEY,
    version text NOT NULL,
    host text NOT NULL,
    pid bigint NOT NULL,
    -- The names of the settings that were given, with their values where these can't be secrets.
    settings json NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);
