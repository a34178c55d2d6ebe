-- What the fields of a list's live journal take as JSON, kept by the statements that put entries there and take them away, for
-- quotas, and so that a page of a list with large entries is made shorter.
ALTER TABLE list ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

UPDATE list
SET bytes = counted.bytes
FROM (
    SELECT list_id, sum(octet_length(fields::text)) AS bytes
    FROM entry
    GROUP BY list_id
) AS counted
WHERE list.id = counted.list_id AND counted.bytes > 0;
