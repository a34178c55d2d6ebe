-- Fills a migrated, empty database: 1,000,000 entries in 20,000 lists, of which one in a hundred has something to compress.
-- On each of those 25 items were added a month ago and 20 of them marked off; on the others, yesterday.
--
--   psql "$TROLLEY_DATABASE_URL" --file Benchmarks/Database/million.sql
\set ON_ERROR_STOP on
BEGIN;

INSERT INTO account (id, email, email_key, name, password_hash)
VALUES (md5('account')::uuid, 'million@example.com', 'million@example.com', 'Million', '-');
INSERT INTO device (id, account_id, name)
VALUES (md5('device')::uuid, md5('account')::uuid, 'generator');

CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT
    md5('list' || n)::uuid AS list_id,
    date_trunc('milliseconds', now()) - CASE WHEN n % 100 = 0 THEN interval '30 days' ELSE interval '1 day' END AS at
FROM generate_series(1, 20000) AS n;

INSERT INTO list (id, owner_id, head, uncompressed_since)
SELECT list_id, md5('account')::uuid, 50, at
FROM made;
INSERT INTO member (list_id, account_id, role, permission)
SELECT list_id, md5('account')::uuid, 'owner', 'readWrite'
FROM made;

INSERT INTO entry (
    list_id, sequence, entry_id, operation, item_id, fields, cause, device_sequence, author_id, device_id, made_at,
    received_at
)
SELECT
    list_id, n, gen_random_uuid(), CASE WHEN n <= 25 THEN 'add' WHEN n <= 45 THEN 'markOff' ELSE 'edit' END,
    -- The last five are edits of items that stay.
    md5(list_id::text || CASE WHEN n <= 25 THEN n ELSE n - 25 END)::uuid,
    CASE WHEN n <= 25 OR n > 45 THEN json_build_object('text', 'item ' || n) END,
    'edit', n, md5('account')::uuid, md5('device')::uuid, at, at
FROM made
CROSS JOIN generate_series(1, 50) AS n
ORDER BY list_id, n;

COMMIT;
VACUUM ANALYZE list;
VACUUM ANALYZE entry;
