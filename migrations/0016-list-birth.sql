ALTER TABLE list
    -- When the list was made, of one that the database has lost and that came back by a proof: `created_at` is when it came back then.
    -- Null: `created_at` is true. A hand-over doesn't change it.
    ADD COLUMN born_at timestamptz;
