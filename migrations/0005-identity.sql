-- Who people are to an identity provider. Such an account is its own: it is never joined to another by its address.
CREATE TABLE identity (
    -- OpenID Connect: `iss` and `sub`, which together stay with a person for ever.
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_by_account ON identity (account_id);
