-- What an operator gives somebody who has forgotten their password. A used one is gone.
CREATE TABLE password_reset (
    -- SHA-256 of the code.
    code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_reset_by_account ON password_reset (account_id);
