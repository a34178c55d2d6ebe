-- When somebody showed that the address is theirs; null: nobody did, as for every account from before. Such an account works
-- like any other, and gives the address up to somebody who shows that it is theirs.
ALTER TABLE account ADD COLUMN email_verified_at timestamptz;

-- What was sent to addresses. A used one is gone.
CREATE TABLE email_code (
    -- SHA-256 of the code.
    code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    email_key text NOT NULL CHECK (email_key = lower(email_key)),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX email_code_by_email ON email_code (email_key);

-- What became of the last mails, for the operator: one row.
CREATE TABLE mail_delivery (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    sent_at timestamptz,
    failed_at timestamptz,
    -- Why, without the address.
    failure text
);
INSERT INTO mail_delivery DEFAULT VALUES;
