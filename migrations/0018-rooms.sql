-- Rooms: short-lived channels between the devices that have a list open. All of this is unlogged, like presence: it
-- matters for minutes, and is rightly forgotten when the database crashes. What is said in a room is never stored.

ALTER TABLE presence
    -- Since when the device has the list open without a gap: the first device makes the room.
    ADD COLUMN since timestamptz NOT NULL DEFAULT now(),
    -- The device's public key for hails (X25519). Null: it doesn't enter rooms.
    ADD COLUMN hail_key bytea CHECK (octet_length(hail_key) = 32);

CREATE UNLOGGED TABLE room (
    list_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Derived from the room's secret, which the service never learns. It verifies handshakes and says nothing about the
    -- key of what is said.
    handshake_key bytea NOT NULL CHECK (octet_length(handshake_key) = 32),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, id)
);
CREATE INDEX room_by_expiry ON room (expires_at);

-- A device's invitation of another device to a room.
CREATE UNLOGGED TABLE hail (
    list_id uuid NOT NULL,
    id uuid NOT NULL,
    room_id uuid NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    to_device uuid NOT NULL,
    -- The room's secret, sealed for the addressee's key.
    sealed bytea NOT NULL CHECK (octet_length(sealed) <= 1024),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, to_device, room_id)
);
CREATE INDEX hail_by_expiry ON hail (expires_at);

-- The nonces of the handshakes within the clock window: each is accepted once, by whichever process.
CREATE UNLOGGED TABLE room_nonce (
    list_id uuid NOT NULL,
    room_id uuid NOT NULL,
    nonce bytea NOT NULL CHECK (octet_length(nonce) = 16),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, room_id, nonce)
);
CREATE INDEX room_nonce_by_expiry ON room_nonce (expires_at);
