enum BundleSchema {
    /// Bundles, and the one place that decides when a bundle is no longer valid: it is dropped when a row that it covers changes,
    /// goes or comes. Rows that come behind it change nothing. The triggers are in the file, so programs of earlier versions
    /// drop bundles, too.
    static let migration = """
        -- Copies of many entries, encrypted as one: of all rows of 'entry' (kind 0) from one sequence to another, all of which are
        -- applied, or of all rows of 'pending' (kind 1) from one position to another.
        CREATE TABLE bundle (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
          first INTEGER NOT NULL,
          last INTEGER NOT NULL,
          content BLOB NOT NULL,
          PRIMARY KEY (list, kind, last),
          CHECK (first <= last)
        );

        -- Before, and not after: a row that is replaced, because it has the same id, is deleted without a trigger. All bundles from
        -- the new row or the replaced one on are dropped; mostly there is none, because rows come behind all others.
        CREATE TRIGGER bundled_entry_inserted BEFORE INSERT ON entry
        BEGIN
          DELETE FROM bundle WHERE list = NEW.list AND kind = 0 AND last >= coalesce(
            (SELECT min(sequence, NEW.sequence) FROM entry WHERE list = NEW.list AND id = NEW.id), NEW.sequence);
        END;
        -- No two bundles overlap, so only the first one that doesn't end before a row can have it. Looking at all later ones would make
        -- the change of a whole list take time that grows with the square of its length.
        CREATE TRIGGER bundled_entry_updated AFTER UPDATE OF applied, content ON entry
        BEGIN
          DELETE FROM bundle WHERE list = NEW.list AND kind = 0 AND first <= NEW.sequence AND last =
            (SELECT min(last) FROM bundle WHERE list = NEW.list AND kind = 0 AND last >= NEW.sequence);
        END;
        CREATE TRIGGER bundled_entry_moved AFTER UPDATE OF list, sequence, id ON entry
        BEGIN
          DELETE FROM bundle WHERE list IN (OLD.list, NEW.list) AND kind = 0;
        END;
        CREATE TRIGGER bundled_entry_deleted AFTER DELETE ON entry
        BEGIN
          DELETE FROM bundle WHERE list = OLD.list AND kind = 0 AND first <= OLD.sequence AND last =
            (SELECT min(last) FROM bundle WHERE list = OLD.list AND kind = 0 AND last >= OLD.sequence);
        END;
        CREATE TRIGGER bundled_pending_inserted BEFORE INSERT ON pending
        BEGIN
          DELETE FROM bundle WHERE list = NEW.list AND kind = 1 AND last >= coalesce(
            (SELECT min(position, NEW.position) FROM pending WHERE list = NEW.list AND id = NEW.id), NEW.position);
        END;
        CREATE TRIGGER bundled_pending_updated AFTER UPDATE OF content, estimate ON pending
        BEGIN
          DELETE FROM bundle WHERE list = NEW.list AND kind = 1 AND first <= NEW.position AND last =
            (SELECT min(last) FROM bundle WHERE list = NEW.list AND kind = 1 AND last >= NEW.position);
        END;
        CREATE TRIGGER bundled_pending_moved AFTER UPDATE OF list, position, id ON pending
        BEGIN
          DELETE FROM bundle WHERE list IN (OLD.list, NEW.list) AND kind = 1;
        END;
        CREATE TRIGGER bundled_pending_deleted AFTER DELETE ON pending
        BEGIN
          DELETE FROM bundle WHERE list = OLD.list AND kind = 1 AND first <= OLD.position AND last =
            (SELECT min(last) FROM bundle WHERE list = OLD.list AND kind = 1 AND last >= OLD.position);
        END;

        -- With the sequence in it, SQLite counts the queue without looking at the rows.
        DROP INDEX upload_queue;
        CREATE INDEX upload_queue ON pending (list, sequence, position) WHERE sequence IS NULL;
        """
}
