-- A summary tells the people of a list what somebody did in a session there. A session begins with a person's first change and
-- ends when they leave the list, when their presence expires, or after two minutes without a change.
ALTER TABLE list
    -- When services look next for sessions that have ended: set by an append if there is none. Null: no session is open.
    ADD COLUMN summary_due timestamptz,
    -- Changes up to here belong to no open session. Null: no session has been looked for yet.
    ADD COLUMN summarized_through bigint;
CREATE INDEX list_by_summary_due ON list (summary_due) WHERE summary_due IS NOT NULL AND deleted_at IS NULL;

-- What the service knows of a person on a list for summaries. A missing row is one with the defaults.
CREATE TABLE summary_state (
    list_id uuid NOT NULL,
    account_id uuid NOT NULL,
    -- What the person wants to be told.
    level text NOT NULL DEFAULT 'summaries' CHECK (level IN ('all', 'summaries', 'nothing')),
    -- The person's own changes up to here belong to sessions that have ended.
    closed_through bigint,
    -- The person was told of the others' changes up to here.
    notified_through bigint,
    PRIMARY KEY (list_id, account_id)
);
CREATE INDEX summary_state_by_account ON summary_state (account_id);

-- Summaries for a person, until the person's read mark passes them, for at most two weeks.
CREATE TABLE summary (
    list_id uuid NOT NULL,
    account_id uuid NOT NULL,
    -- It covers the changes after this sequence, up to 'through'.
    after bigint NOT NULL,
    through bigint NOT NULL,
    -- The people and what they did: counts, no content.
    content json NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, account_id, through),
    CHECK (after < through)
);
CREATE INDEX summary_by_account ON summary (account_id);
CREATE INDEX summary_by_age ON summary (made_at);

ALTER TABLE hosted_list
    -- The integration has acknowledged summaries up to here.
    ADD COLUMN summary_through bigint NOT NULL DEFAULT 0;
