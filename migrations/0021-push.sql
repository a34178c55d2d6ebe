-- Web Push and webhooks. These tables belong to accounts and devices, not to lists. Over Citus they stay on the coordinator,
-- as 'hosted_%' does.

ALTER TABLE service
    -- The private key by which push services know this service (P-256; RFC 8292). Null: no process has made one yet.
    ADD COLUMN vapid_key bytea CHECK (octet_length(vapid_key) = 32);

-- Where a person's notices go: the browser of a device's session, or a webhook.
CREATE TABLE push_target (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    -- The device to whose session a browser's subscription belongs. Null: a webhook.
    device_id uuid UNIQUE REFERENCES device ON DELETE CASCADE,
    url text NOT NULL CHECK (octet_length(url) <= 2048),
    -- The browser's public key (P-256, uncompressed).
    public_key bytea CHECK (octet_length(public_key) = 65),
    -- The browser's authentication secret, or the key that signs the webhook's messages.
    secret bytea NOT NULL CHECK (octet_length(secret) IN (16, 32)),
    -- The origin of the web app, which a notification opens.
    app text CHECK (octet_length(app) <= 300),
    -- Whether the person asked to be told what has happened.
    with_content boolean NOT NULL,
    -- The last attempt failed, so its deliveries wait with those of other such targets.
    failing boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((device_id IS NULL) = (public_key IS NULL) AND (device_id IS NULL) = (app IS NULL))
);
CREATE INDEX push_target_by_account ON push_target (account_id);

-- What is to be sent. A row goes when it was delivered, or some days after it was given up.
CREATE TABLE push_delivery (
    list_id uuid NOT NULL,
    id uuid NOT NULL,
    target_id uuid NOT NULL REFERENCES push_target ON DELETE CASCADE,
    account_id uuid NOT NULL,
    -- The summary: sequences, people and counts.
    content json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- When it is tried next. A process that tries it sets it beyond the end of its attempt.
    due_at timestamptz NOT NULL DEFAULT now(),
    attempts bigint NOT NULL DEFAULT 0,
    -- Why the last attempt failed.
    failure text,
    -- When it was given up. Null: it waits.
    dead_at timestamptz,
    PRIMARY KEY (list_id, id)
);
CREATE INDEX push_delivery_by_due ON push_delivery (due_at) WHERE dead_at IS NULL;
CREATE INDEX push_delivery_by_target ON push_delivery (target_id, created_at);
CREATE INDEX push_delivery_by_death ON push_delivery (dead_at) WHERE dead_at IS NOT NULL;
