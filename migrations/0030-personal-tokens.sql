-- Personal tokens: keys by which a person's other programs act for them. Each is a device of the account with its row in
-- 'device', so its sessions end, and are told to have ended, like every device's. That row has the hash of a token that nobody
-- was ever told: a process of the version before doesn't know what a personal token may not do, so it must not accept one.
CREATE TABLE personal_token (
    device_id uuid PRIMARY KEY REFERENCES device ON DELETE CASCADE,
    -- SHA-256 of the token. The row stays when the token is revoked, because entries name its device.
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    read_only boolean NOT NULL,
    -- The lists that it opens. Null: all of the account's.
    list_ids uuid[] CHECK (cardinality(list_ids) BETWEEN 1 AND 100),
    -- Null: it has no end of its own.
    expires_at timestamptz
);
CREATE INDEX personal_token_by_end ON personal_token (expires_at) WHERE expires_at IS NOT NULL;
