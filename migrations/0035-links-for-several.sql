-- Links that several people may use. A process of the version before takes such a link for one that works once.
ALTER TABLE invitation
    -- How many people may use the link. Null: one.
    ADD COLUMN uses integer CHECK (uses BETWEEN 2 AND 100),
    -- Who has used it; they may return by it.
    ADD COLUMN used_by uuid[] NOT NULL DEFAULT '{}',
    -- Whom the owner has removed since: it doesn't bring them back.
    ADD COLUMN barred uuid[] NOT NULL DEFAULT '{}';
