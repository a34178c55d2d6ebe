-- A room of which a person was removed must not be made again with the secret that they know, so a room's row stays until its
-- hour is over. Neither column has a default, so nothing is rewritten.

ALTER TABLE room
    -- Whose device made it. Null: made before this migration, or by a process of the version before.
    ADD COLUMN account_id uuid,
    -- Since when nobody enters it: it made way for others, or was ended. Null: it can be entered.
    ADD COLUMN made_way_at timestamptz;
