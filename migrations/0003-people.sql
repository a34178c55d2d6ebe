ALTER TABLE invitation
    -- Names the invitation to its list's owner, who no longer has the secret.
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    -- The person invited, as the owner wrote it.
    ADD COLUMN email text,
    -- Why nobody can use it any more; null while it is open. An ended invitation by name stays, because states of the
    -- share mention its address, and whoever deletes their account is taken out of those.
    ADD COLUMN ended text CHECK (ended IN ('withdrawn', 'declined', 'expired')),
    -- Who signed up with it, where that needs an invitation. A one-time link is theirs from then on.
    ADD COLUMN signed_up uuid;
UPDATE invitation SET email = email_key;
ALTER TABLE invitation ADD CHECK ((email IS NULL) = (email_key IS NULL));
CREATE UNIQUE INDEX invitation_by_id ON invitation (list_id, id);
CREATE INDEX invitation_by_email ON invitation (email_key) WHERE email_key IS NOT NULL;
CREATE INDEX invitation_by_inviter ON invitation (invited_by);
CREATE INDEX invitation_by_expiry ON invitation (expires_at) WHERE ended IS NULL AND accepted_by IS NULL;

-- What an operator gives somebody who is to sign up. A used one is gone.
CREATE TABLE sign_up_code (
    -- SHA-256 of the code.
    code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    -- Who may use it, in lower case; null: whoever has it.
    email_key text CHECK (email_key = lower(email_key)),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

-- How far a person has read a list, on whatever device. It only ever rises.
CREATE TABLE read_mark (
    list_id uuid NOT NULL,
    account_id uuid NOT NULL,
    through bigint NOT NULL CHECK (through >= 0),
    PRIMARY KEY (list_id, account_id)
);
CREATE INDEX read_mark_by_account ON read_mark (account_id);

-- Who has a list open, on which device, until when at the latest. Unlogged: it is written often, matters for a minute,
-- and is rightly forgotten when the database crashes.
CREATE UNLOGGED TABLE presence (
    list_id uuid NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (list_id, account_id, device_id)
);
CREATE INDEX presence_by_device ON presence (device_id);
