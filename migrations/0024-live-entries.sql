-- Reads the whole journal twice while nobody can append: a million entries take about a second, a million lists 25 s.

-- The number of entries in a list's live journal, kept by the statements that put entries there and take them away, for quotas.
-- Processes of an earlier version don't keep it; compression counts again.
ALTER TABLE list ADD COLUMN live_entries bigint NOT NULL DEFAULT 0;

UPDATE list
SET live_entries = counted.entries
FROM (
    SELECT list_id, count(*) AS entries
    FROM entry
    GROUP BY list_id
) AS counted
WHERE list.id = counted.list_id;

-- Whether an item that compression has archived entries of is still there, asked for each item of an upload, under the
-- list's lock. Without it, each question reads the list's journal.
CREATE INDEX entry_add_by_item ON entry (list_id, item_id) WHERE operation = 'add';
