-- Where entries stood that came back from the archive, and when they were received. `archived_id` knows only an entry's first
-- place; a device whose token stands at a later one is in step all the same, also when the entry has gone again.
CREATE TABLE returned_place (
    list_id uuid NOT NULL,
    sequence bigint NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, sequence)
);

INSERT INTO returned_place (list_id, sequence, received_at)
SELECT entry.list_id, entry.sequence, entry.received_at
FROM entry
JOIN archived_id ON archived_id.list_id = entry.list_id AND archived_id.entry_id = entry.entry_id
WHERE entry.sequence <> archived_id.sequence;
