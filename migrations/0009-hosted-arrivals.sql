-- When the last fetch came: a hosted device, too, compresses what waits before its lists change.
ALTER TABLE hosted_list ADD COLUMN received_at timestamptz;

-- Items that were marked off, by this entry, before anybody saw them.
CREATE TABLE hosted_unseen (
    list_id uuid NOT NULL,
    device_id uuid NOT NULL,
    item_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    PRIMARY KEY (list_id, device_id, item_id),
    FOREIGN KEY (list_id, device_id) REFERENCES hosted_list ON DELETE CASCADE
);
