-- Messages, and what is about them. The new conditions allow more than the old ones, so no row needs to be checked again.
ALTER TABLE entry
    DROP CONSTRAINT entry_operation_check,
    ADD CONSTRAINT entry_operation_check CHECK (
        operation IN (
            'add', 'edit', 'markOff', 'unmark', 'move', 'delete', 'renameList', 'recolourList',
            'message', 'deleteMessage', 'react', 'unreact', 'pin', 'unpin')) NOT VALID,
    DROP CONSTRAINT entry_check1,
    ADD CONSTRAINT entry_check1 CHECK (
        item_id IS NOT NULL
        OR operation NOT IN ('add', 'edit', 'markOff', 'unmark', 'move', 'delete')) NOT VALID;

-- The number of the list's messages, without deleted ones. Uploads keep it.
ALTER TABLE list ADD COLUMN messages bigint NOT NULL DEFAULT 0;

-- Everything about messages, in stream order and by time. Lists without messages have nothing here.
CREATE INDEX entry_message ON entry (list_id, sequence)
    WHERE operation IN ('message', 'deleteMessage', 'react', 'unreact', 'pin', 'unpin');
CREATE INDEX entry_message_by_time ON entry (list_id, received_at, sequence)
    WHERE operation IN ('message', 'deleteMessage', 'react', 'unreact', 'pin', 'unpin');
-- What is about one message.
CREATE INDEX entry_about_message ON entry (list_id, (fields ->> 'message'))
    WHERE operation IN ('deleteMessage', 'react', 'unreact', 'pin', 'unpin');
-- The messages that were deleted and are compressed away.
CREATE INDEX archived_entry_deletion ON archived_entry (list_id, sequence) WHERE operation = 'deleteMessage';
