-- Where each person keeps a list among theirs. No process of the version before reads or writes it.
ALTER TABLE member
    ADD COLUMN pinned boolean NOT NULL DEFAULT false,
    ADD COLUMN archived boolean NOT NULL DEFAULT false,
    -- Lists are shown by ascending rank. Null: the person has not moved the list.
    ADD COLUMN rank bigint,
    -- Counts the changes of these, so that the person's other devices hear of each.
    ADD COLUMN placed bigint NOT NULL DEFAULT 0;
