-- Devices that the service itself drives, for an integration: their queues are the tables below. Each has its row in
-- 'device' too, with the hash of a token that nobody was ever told: signing the device out there ends this one.
CREATE TABLE hosted_device (
    device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
    -- SHA-256 of the bearer token. It opens this device and nothing else of the account's.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    -- The list that is meant when a request names none.
    default_list_id uuid,
    pace json,
    -- Which process drives the device, and until when it has the right to.
    driver uuid,
    driven_until timestamptz,
    -- Nobody need drive it before then.
    rests_until timestamptz
);

-- The lists as a hosted device has them. 'list_id' leads each key, as everywhere.
CREATE TABLE hosted_list (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL REFERENCES hosted_device ON DELETE CASCADE,
    published boolean NOT NULL,
    -- Stands for all changes up to 'through'; while 'staging', for those in hosted_staged.
    token text,
    staging boolean NOT NULL DEFAULT false,
    through bigint NOT NULL DEFAULT 0,
    share json,
    -- The last position that was given to an entry of the device's own.
    last_position bigint NOT NULL DEFAULT 0,
    -- The list's head at the last complete fetch: what says whether there is something to fetch.
    seen_head bigint,
    PRIMARY KEY (list_id, device_id)
);
CREATE INDEX hosted_list_by_device ON hosted_list (device_id);

-- Confirmed entries. Those that are not applied are the to-apply queue.
CREATE TABLE hosted_entry (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    sequence bigint NOT NULL,
    applied boolean NOT NULL,
    content json NOT NULL,
    PRIMARY KEY (list_id, device_id, entry_id),
    FOREIGN KEY (list_id, device_id) REFERENCES hosted_list ON DELETE CASCADE
);
CREATE INDEX hosted_entry_by_sequence ON hosted_entry (list_id, device_id, sequence);
CREATE INDEX hosted_entry_to_apply ON hosted_entry (device_id, list_id, sequence) WHERE NOT applied;

-- Pages of a snapshot that is not complete yet.
CREATE TABLE hosted_staged (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL,
    sequence bigint NOT NULL,
    content json NOT NULL,
    PRIMARY KEY (list_id, device_id, sequence),
    FOREIGN KEY (list_id, device_id) REFERENCES hosted_list ON DELETE CASCADE
);

-- The device's own entries. Those that are neither taken (a sequence) nor retired are the upload queue; a taken one is
-- retired when a fetch has passed it, and kept for a while, to be offered again to a service that was restored.
CREATE TABLE hosted_pending (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    position bigint NOT NULL,
    content json NOT NULL,
    -- When it was made: on a clock that counts within one run of a process, and on the wall clock.
    boot text NOT NULL,
    uptime bigint NOT NULL,
    wall timestamptz NOT NULL,
    -- The madeAt that it is folded with until the service has reckoned its own.
    estimate timestamptz NOT NULL,
    sequence bigint,
    retired boolean NOT NULL DEFAULT false,
    PRIMARY KEY (list_id, device_id, entry_id),
    FOREIGN KEY (list_id, device_id) REFERENCES hosted_list ON DELETE CASCADE
);
CREATE INDEX hosted_pending_by_position ON hosted_pending (list_id, device_id, position) WHERE NOT retired;
CREATE INDEX hosted_pending_upload ON hosted_pending (device_id) WHERE sequence IS NULL AND NOT retired;
CREATE INDEX hosted_pending_retired ON hosted_pending (device_id, wall) WHERE retired;

-- Entries that the service refused for good, in sight until somebody has dealt with them. They outlive their list.
CREATE TABLE hosted_rejected (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL REFERENCES hosted_device ON DELETE CASCADE,
    entry_id uuid NOT NULL,
    position bigint GENERATED ALWAYS AS IDENTITY,
    list_name text,
    content json NOT NULL,
    code text NOT NULL,
    detail text,
    rejected_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, device_id, entry_id)
);
CREATE INDEX hosted_rejected_by_device ON hosted_rejected (device_id, position);

-- The last deviceSequence that was given; it outlives the list, which may come back.
CREATE TABLE hosted_counter (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL REFERENCES hosted_device ON DELETE CASCADE,
    last bigint NOT NULL,
    PRIMARY KEY (list_id, device_id)
);

-- Changes that were asked for with an idempotency key: asked for again, they get the first answer.
CREATE TABLE hosted_request (
    device_id uuid NOT NULL REFERENCES hosted_device ON DELETE CASCADE,
    key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
    -- SHA-256 of what was asked for.
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    answer json NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device_id, key_hash)
);
