-- Background work is done by one process at a time, the leader, as long as it renews this.
CREATE TABLE leadership (
    -- There is one row.
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- The process that leads. Null: none has yet.
    process_id uuid,
    until timestamptz NOT NULL
);
INSERT INTO leadership (until) VALUES ('-infinity');

-- The sessions that were ended lately, numbered as service.sessions_ended counts them. A process that trusts sessions learns from
-- it which of them have ended. Rows go after an hour.
CREATE TABLE ended_session (
    number bigint PRIMARY KEY,
    device_id uuid NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now()
);

-- The devices on which something waits, by their reports, so that what waits is counted without reading all reports.
CREATE TABLE waiting_device (
    device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE
);
INSERT INTO waiting_device (device_id)
SELECT device_id
FROM device_report
WHERE report -> 'upload' <> '{}' OR report -> 'toApply' <> '{}';

-- Services of an earlier version than 0021's successors left the subscriptions of devices that were signed out.
DELETE FROM push_target USING device WHERE device.id = push_target.device_id AND device.token_hash IS NULL;
