-- The colour of a person's picture, and the accounts whose name, address or colour is being recorded in their lists. No process of
-- the version before reads or writes either.
-- Null: a colour that follows from the account's id.
ALTER TABLE account ADD COLUMN colour text;

-- The work goes on list by list, also after the process that began it has ended. A row goes when its work is done.
CREATE TABLE account_change (
    account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- Counts the changes. With each, the work begins again.
    number bigint NOT NULL DEFAULT 1,
    -- The lists up to this one are done.
    after_list uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
