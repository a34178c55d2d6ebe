-- What a hosted device knows of a list without folding it.
ALTER TABLE hosted_list
    -- What the list is called: a JSON string, since a name may have characters that a text can't. Null: nothing.
    ADD COLUMN name json,
    -- When the latest change in it was made.
    ADD COLUMN latest_made_at timestamptz,
    -- Both are true for what was received up to here. Anything else than 'through': they are to be worked out anew.
    ADD COLUMN summed_through bigint;
