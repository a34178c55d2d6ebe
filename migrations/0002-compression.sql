ALTER TABLE entry
    -- Whether compression, or an upload that named a purged item, gave the entry another anchor than it was sent with.
    ADD COLUMN resolved boolean NOT NULL DEFAULT false,
    ADD COLUMN resolved_after_id uuid,
    ADD CHECK (resolved OR resolved_after_id IS NULL);

-- Entries that compression took out of the journal. They stay part of the Activity and keep their ids taken. One whose
-- item was wanted again is in both tables: here as it was sent, there in its new place.
CREATE TABLE archived_entry (
    list_id uuid NOT NULL,
    sequence bigint NOT NULL CHECK (sequence > 0),
    entry_id uuid NOT NULL,
    operation text NOT NULL,
    item_id uuid,
    after_id uuid,
    fields json,
    batch_id uuid,
    cause text NOT NULL,
    reverts_id uuid,
    device_sequence bigint NOT NULL,
    author_id uuid NOT NULL,
    device_id uuid NOT NULL,
    made_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, sequence),
    CONSTRAINT archived_entry_once UNIQUE (entry_id, list_id)
);
CREATE INDEX archived_entry_by_item ON archived_entry (list_id, item_id);

ALTER TABLE list
    -- What was received before is compressed.
    ADD COLUMN compressed_until timestamptz,
    -- When the oldest entry was received that compression has not looked at; null when there is none. So the lists
    -- that compression may find something in are found by index.
    ADD COLUMN uncompressed_since timestamptz;
CREATE INDEX list_by_uncompressed_since ON list (uncompressed_since) WHERE deleted_at IS NULL;
