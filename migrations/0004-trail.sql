-- What belongs to the cluster that the database is in, as far as it tells a copy from the original: system identifier,
-- timeline, and the number of this table. When it changes, a backup was restored or a standby promoted.
ALTER TABLE service
    -- Null: nobody has looked yet.
    ADD COLUMN origin text,
    ADD COLUMN epoch_began_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN epoch_reason text NOT NULL DEFAULT 'begun'
        CHECK (epoch_reason IN ('begun', 'declared', 'otherOrigin', 'wentBack')),
    -- What was received before and compressed away since is no longer in the Activity.
    ADD COLUMN activity_from timestamptz NOT NULL DEFAULT '-infinity';

ALTER TABLE list
    -- Up to here discards may be missing in the stream: a token from before can't be honoured.
    ADD COLUMN trail_from bigint NOT NULL DEFAULT 0 CHECK (trail_from >= 0),
    -- When compression was last here.
    ADD COLUMN compressed_at timestamptz;

-- With the id, so that the eligible lists can be read page by page.
DROP INDEX list_by_uncompressed_since;
CREATE INDEX list_by_uncompressed_since ON list (uncompressed_since, id) WHERE deleted_at IS NULL;

-- The trail by age: what of it may be dropped.
CREATE INDEX event_trail ON event (received_at) WHERE change ->> 'type' = 'discard';

-- The ids of entries that compression took out of the journal: they stay taken, for ever, whatever becomes of the
-- entries themselves. Uploads look here, and so never into the partitions below.
CREATE TABLE archived_id (
    list_id uuid NOT NULL,
    -- The entry's first place.
    sequence bigint NOT NULL,
    entry_id uuid NOT NULL,
    item_id uuid,
    made_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, sequence),
    CONSTRAINT archived_id_once UNIQUE (entry_id, list_id)
);
CREATE INDEX archived_id_by_item ON archived_id (list_id, item_id);

INSERT INTO archived_id (list_id, sequence, entry_id, item_id, made_at, received_at)
SELECT list_id, sequence, entry_id, item_id, made_at, received_at
FROM archived_entry;

-- The entries themselves, by the month in which they were received. A retention drops whole months. The partitions are
-- made by whoever is about to put something into them.
ALTER TABLE archived_entry RENAME TO unpartitioned_entry;
ALTER INDEX archived_entry_pkey RENAME TO unpartitioned_entry_pkey;
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
    PRIMARY KEY (list_id, sequence, received_at)
) PARTITION BY RANGE (received_at);

DO $$
DECLARE
    month timestamp;
BEGIN
    FOR month IN SELECT DISTINCT date_trunc('month', received_at AT TIME ZONE 'UTC') FROM unpartitioned_entry LOOP
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF archived_entry FOR VALUES FROM (%L) TO (%L)',
            to_char(month, '"archived_entry_"YYYY_MM'), month AT TIME ZONE 'UTC',
            (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
END
$$;

INSERT INTO archived_entry (
    list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id, device_sequence,
    author_id, device_id, made_at, received_at, archived_at
)
SELECT
    list_id, sequence, entry_id, operation, item_id, after_id, fields, batch_id, cause, reverts_id, device_sequence,
    author_id, device_id, made_at, received_at, archived_at
FROM unpartitioned_entry;
DROP TABLE unpartitioned_entry;
