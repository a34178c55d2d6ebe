-- The service: one row.
CREATE TABLE service (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    -- Change tokens are bound to it; it changes when a backup was restored or a standby promoted.
    epoch uuid NOT NULL,
    -- Authenticates change tokens.
    token_key bytea NOT NULL CHECK (octet_length(token_key) = 32)
);

INSERT INTO service (epoch, token_key)
VALUES (gen_random_uuid(), sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

-- People.
CREATE TABLE account (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    -- The address as it is compared: in lower case.
    email_key text NOT NULL UNIQUE CHECK (email_key = lower(email_key)),
    name text NOT NULL,
    -- $scrypt$ln=…,r=…,p=…$salt$hash
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Their installations.
CREATE TABLE device (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    name text NOT NULL,
    -- SHA-256 of the bearer token; null once the device is signed out. The row stays, because entries name it.
    token_hash bytea UNIQUE CHECK (octet_length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX device_by_account ON device (account_id);

CREATE TABLE list (
    id uuid PRIMARY KEY,
    owner_id uuid NOT NULL,
    -- The sequence of the newest change. Whoever appends holds this row's lock until commit, so the order of
    -- sequence is the order of commit and no reader ever skips one.
    head bigint NOT NULL DEFAULT 0 CHECK (head >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The row outlives the list, so that its id stays taken.
    deleted_at timestamptz
);

-- Who is on a list, its owner included.
CREATE TABLE member (
    list_id uuid NOT NULL REFERENCES list,
    account_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'participant')),
    permission text NOT NULL CHECK (permission IN ('readWrite', 'readOnly')),
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, account_id),
    CHECK (role = 'participant' OR permission = 'readWrite')
);
CREATE INDEX member_by_account ON member (account_id);
CREATE UNIQUE INDEX member_one_owner ON member (list_id) WHERE role = 'owner';

-- Who was on a list and isn't any more, and why: what their devices are told.
CREATE TABLE departure (
    list_id uuid NOT NULL REFERENCES list,
    account_id uuid NOT NULL,
    reason text NOT NULL CHECK (reason IN ('deleted', 'stoppedSharing', 'removed', 'accountDeleted')),
    departed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, account_id)
);
CREATE INDEX departure_by_account ON departure (account_id);

-- Ways onto a list: for a named person, again and again until it is withdrawn; or for whoever comes first.
CREATE TABLE invitation (
    list_id uuid NOT NULL REFERENCES list,
    -- SHA-256 of the secret.
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    -- The person invited, in lower case; null for a one-time link.
    email_key text CHECK (email_key = lower(email_key)),
    permission text NOT NULL CHECK (permission IN ('readWrite', 'readOnly')),
    invited_by uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    -- Who used a one-time link.
    accepted_by uuid,
    PRIMARY KEY (list_id, secret_hash),
    CHECK (accepted_by IS NULL OR email_key IS NULL)
);
CREATE INDEX invitation_by_secret ON invitation (secret_hash);

-- The journal: every entry in its place.
CREATE TABLE entry (
    list_id uuid NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    entry_id uuid NOT NULL,
    operation text NOT NULL CHECK (
        operation IN ('add', 'edit', 'markOff', 'unmark', 'move', 'delete', 'renameList', 'recolourList')),
    item_id uuid,
    after_id uuid,
    -- json, not jsonb: a field that this version doesn't know stays as it was written.
    fields json,
    batch_id uuid,
    cause text NOT NULL CHECK (cause IN ('edit', 'undo', 'redo')),
    reverts_id uuid,
    device_sequence bigint NOT NULL CHECK (device_sequence > 0),
    author_id uuid NOT NULL,
    device_id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, sequence),
    -- An entry id is accepted once, ever. The id leads, because ids rise with time and so keep this index's hot end
    -- small; list_id is in it so that the table can be distributed by it.
    CONSTRAINT entry_once UNIQUE (entry_id, list_id),
    CHECK (made_at <= received_at),
    CHECK (item_id IS NOT NULL OR operation IN ('renameList', 'recolourList'))
);

-- What a list's stream holds besides entries: states of the share and discards, each as the JSON that devices get.
CREATE TABLE event (
    list_id uuid NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    change json NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, sequence)
);
