-- Notices in the reader's language, and notices of messages and added items while their session goes on ('alerts'), for people
-- who want to be told of everything on a list.

ALTER TABLE push_target
    -- The language of the browser's notices, as a language tag (RFC 5646). Null: English.
    ADD COLUMN language text CHECK (octet_length(language) <= 35);

ALTER TABLE list
    -- The earliest time of the next alerts. Null: nobody has asked for alerts.
    ADD COLUMN alerts_from timestamptz;

ALTER TABLE summary_state
    -- The person got an alert of the others' changes up to here.
    ADD COLUMN alerted_through bigint;
