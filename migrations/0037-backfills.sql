-- The kind of a list's other changes in a column of its own: 'share' or 'discard'. Statements that look for one kind needn't
-- read the change itself, which may be long. Null: a process of the version before has written the row, or the backfill
-- 'event_type' has yet to come to it; then the change says it.
ALTER TABLE event ADD COLUMN type text;

-- Rows of earlier versions get what this version writes with each row: in the background, list by list. No process of the
-- version before reads or writes this table.
CREATE TABLE backfill (
    name text PRIMARY KEY,
    -- The lists up to this one are done.
    after_list uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- The number of those lists.
    lists bigint NOT NULL DEFAULT 0,
    -- The number of all lists when it began. Null: it has not begun.
    of_lists bigint,
    -- When it last went on.
    moved_at timestamptz NOT NULL DEFAULT now(),
    -- Null: it goes on.
    finished_at timestamptz
);
INSERT INTO backfill (name) VALUES ('event_type'), ('list_mark');

-- A new database has nothing to fill.
DO $$
BEGIN
    PERFORM id FROM list LIMIT 1;
    IF NOT FOUND THEN
        UPDATE backfill SET finished_at = now();
    END IF;
END
$$;
