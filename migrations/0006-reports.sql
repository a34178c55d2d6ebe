-- What each device last said of its two queues, and how far it was on each list. One small row a device, which is
-- written over in place: no index but the key's, and room for a second version in the page.
CREATE TABLE device_report (
    device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
    -- As the device sent it: counts, ages and codes, never content. Null from a device that doesn't report.
    report jsonb,
    -- The sequence that each list's change token stood for, by list id.
    positions jsonb NOT NULL,
    -- The least deviceSequence that waits to be sent, by list id.
    held jsonb NOT NULL,
    -- SHA-256 of all that but the ages: whether there is anything to write.
    content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
    reported_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- What statements took, as the services themselves measured it, by name: for whoever looks for slow ones where there is no
-- pg_stat_statements. A row a statement of the program's; no values.
CREATE TABLE statement_time (
    name text PRIMARY KEY,
    calls bigint NOT NULL,
    total_microseconds bigint NOT NULL,
    longest_microseconds bigint NOT NULL,
    -- Of at most a week: then it begins anew.
    since timestamptz NOT NULL DEFAULT now()
);
