-- Programs that follow a list by CalDAV and want to be told of its changes at once (WebDAV-Push). As all tables of push, these
-- belong to accounts and devices, and stay on the coordinator over Citus.

ALTER TABLE push_target
    -- Until when the device's program has registrations. Null: a browser or a webhook. A process of the version before takes such a
    -- row for a browser's, and tells it of summaries.
    ADD COLUMN calendar_until timestamptz;
CREATE INDEX push_target_by_calendar_end ON push_target (calendar_until) WHERE calendar_until IS NOT NULL;

-- What a program is told of. All registrations of one device have one endpoint.
CREATE TABLE push_registration (
    id uuid PRIMARY KEY,
    target_id uuid NOT NULL REFERENCES push_target ON DELETE CASCADE,
    list_id uuid NOT NULL,
    -- Whether it is told of changes of the list's items, and of those of its name, colour and the person's permission.
    content boolean NOT NULL,
    properties boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    -- It was told of the others' changes up to here, or needs not to be.
    told_through bigint NOT NULL,
    -- The person's permission at that time.
    told_permission text NOT NULL,
    -- When its newest message was to be sent. The next one comes some seconds later at the earliest.
    planned_at timestamptz,
    -- Nothing is planned for it before: a request is under way of which it must not be told.
    held_until timestamptz,
    UNIQUE (target_id, list_id),
    CHECK (content OR properties)
);
CREATE INDEX push_registration_by_list ON push_registration (list_id, id);
CREATE INDEX push_registration_by_expiry ON push_registration (expires_at);
