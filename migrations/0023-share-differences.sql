-- States of a share as differences, deletions of accounts in steps, and a list's name in its row. No existing row is rewritten.

ALTER TABLE event
    -- For a state of the share: what has changed since the state before. Null for discards, and for states from before this
    -- migration.
    ADD COLUMN difference json,
    -- For a state that only its difference is stored of: the last earlier state that is stored whole. `change` then has no
    -- participants.
    ADD COLUMN base bigint,
    -- The bytes of the change as JSON, as devices receive it. Null for changes from before this migration.
    ADD COLUMN bytes bigint;

ALTER TABLE list
    -- The newest state of the share. Null: there is none, or it is from before this migration.
    ADD COLUMN share_at bigint,
    -- The bytes of all states of the share, as they are stored. States from before this migration are not counted.
    ADD COLUMN share_bytes bigint NOT NULL DEFAULT 0,
    -- The list's name and colour, each as the field `text` of the entry that decided it. Appending keeps them. Not text,
    -- which can't hold U+0000.
    ADD COLUMN name json,
    ADD COLUMN name_made_at timestamptz,
    ADD COLUMN name_sequence bigint,
    ADD COLUMN colour json,
    ADD COLUMN colour_made_at timestamptz,
    ADD COLUMN colour_sequence bigint,
    -- Whether they are complete. A list from before this migration is read once, when somebody asks for its name.
    ADD COLUMN title_known boolean NOT NULL DEFAULT false;

-- When the person deleted the account. From then on it has no session and gets none, and it joins no list.
ALTER TABLE account ADD COLUMN deleted_at timestamptz;

-- The deletions of accounts that are not finished: the work goes on list by list.
CREATE TABLE account_deletion (
    account_id uuid PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    -- The lists up to this one are done.
    after_list uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- The addresses that the account has or had, as far as they are known: its names are removed by them.
    addresses text[] NOT NULL DEFAULT '{}',
    -- Until then a process works on it.
    claimed_until timestamptz NOT NULL DEFAULT '-infinity'
);
