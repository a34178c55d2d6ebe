-- When a list's newest change was received. Change tokens contain it, so it is asked for with each fetch: it stands in the list's
-- row, where the head stands, instead of being looked up in four tables. It counts only while 'mark_of' is the head: processes of
-- an earlier version move the head alone, and lists that haven't changed since have none.
ALTER TABLE list
    ADD COLUMN mark_of bigint,
    ADD COLUMN mark timestamptz;
