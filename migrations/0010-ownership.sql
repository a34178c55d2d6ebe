ALTER TABLE list
    -- Since when its owner has owned it, by a hand-over or by a proof from before the database was restored. Null: the owner
    -- made the list, and has shown no proof.
    ADD COLUMN owner_since timestamptz;
