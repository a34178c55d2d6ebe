import GRDB

/// The tables of a device. Text that people wrote is in `content` columns, encrypted; all other columns are ids and
/// numbers.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001-initial") { try $0.execute(sql: initial) }
        migrator.registerMigration("0002-versions") { try $0.execute(sql: versions) }
        migrator.registerMigration("0003-indices") { try $0.execute(sql: indices) }
        migrator.registerMigration("0004-refusals") { try $0.execute(sql: refusals) }
        migrator.registerMigration("0005-ownership") { try $0.execute(sql: ownership) }
        migrator.registerMigration("0006-passed") { try $0.execute(sql: passed) }
        migrator.registerMigration("0007-history") { try $0.execute(sql: history) }
        migrator.registerMigration("0008-reading") { try $0.execute(sql: reading) }
        migrator.registerMigration("0009-trips") { try $0.execute(sql: trips) }
        migrator.registerMigration("0010-offers") { try $0.execute(sql: offers) }
        migrator.registerMigration("0011-invitations") { try $0.execute(sql: invitations) }
        migrator.registerMigration("0012-places") { try $0.execute(sql: places) }
        migrator.registerMigration("0013-shops") { try $0.execute(sql: shops) }
        migrator.registerMigration("0014-overviews") { try $0.execute(sql: overviews) }
        migrator.registerMigration("0015-bundles") { try $0.execute(sql: BundleSchema.migration) }
        migrator.registerMigration("0016-kept") { try $0.execute(sql: kept) }
        return migrator
    }

    private static let initial = """
        CREATE TABLE meta (
          key TEXT PRIMARY KEY,
          value BLOB NOT NULL
        ) WITHOUT ROWID;

        -- An account of X'' means: made while nobody was signed in.
        -- A list of an account that is signed out stays while its unsent entries do.
        CREATE TABLE list (
          key INTEGER PRIMARY KEY AUTOINCREMENT,
          account BLOB NOT NULL,
          id BLOB NOT NULL,
          published INTEGER NOT NULL DEFAULT 0 CHECK (published IN (0, 1)),
          shopping INTEGER NOT NULL DEFAULT 0 CHECK (shopping IN (0, 1)),
          -- On this device alone, until it is shared.
          local INTEGER NOT NULL DEFAULT 0 CHECK (local IN (0, 1)),
          -- Stands for all changes up to 'through'; while 'staging', for those in 'staged'.
          token TEXT,
          staging INTEGER NOT NULL DEFAULT 0 CHECK (staging IN (0, 1)),
          through INTEGER NOT NULL DEFAULT 0,
          share BLOB,
          -- The last position that was given to an entry of one's own.
          made INTEGER NOT NULL DEFAULT 0,
          UNIQUE (account, id)
        );

        -- Confirmed entries. Those that are not applied are the to-apply queue.
        CREATE TABLE entry (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          sequence INTEGER NOT NULL,
          id BLOB NOT NULL,
          applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
          content BLOB NOT NULL,
          PRIMARY KEY (list, sequence),
          UNIQUE (list, id)
        ) WITHOUT ROWID;
        CREATE INDEX to_apply ON entry (list) WHERE applied = 0;

        -- Pages of a snapshot that is not complete yet.
        CREATE TABLE staged (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          sequence INTEGER NOT NULL,
          content BLOB NOT NULL,
          PRIMARY KEY (list, sequence)
        ) WITHOUT ROWID;

        -- One's own entries that no fetch has brought back yet. Those without a sequence are the upload queue; the
        -- others were taken by the service, and leave when a fetch has passed them.
        CREATE TABLE pending (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          id BLOB NOT NULL,
          content BLOB NOT NULL,
          boot TEXT NOT NULL,
          uptime INTEGER NOT NULL,
          wall INTEGER NOT NULL,
          -- The madeAt that it is folded with until the service has reckoned its own.
          estimate INTEGER NOT NULL,
          sent INTEGER NOT NULL DEFAULT 0 CHECK (sent IN (0, 1)),
          sequence INTEGER,
          PRIMARY KEY (list, position),
          UNIQUE (list, id)
        ) WITHOUT ROWID;
        CREATE INDEX upload_queue ON pending (list, position) WHERE sequence IS NULL;

        -- One's own entries that were confirmed lately, to be offered again to a service that was restored.
        CREATE TABLE confirmed (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          id BLOB NOT NULL,
          content BLOB NOT NULL,
          boot TEXT NOT NULL,
          uptime INTEGER NOT NULL,
          wall INTEGER NOT NULL,
          PRIMARY KEY (list, id)
        ) WITHOUT ROWID;

        -- What one's own entries replaced, for undoing them. Those that 'trace' are needed when others are recorded.
        CREATE TABLE undo (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          position INTEGER NOT NULL,
          id BLOB NOT NULL,
          traces INTEGER NOT NULL CHECK (traces IN (0, 1)),
          content BLOB NOT NULL,
          PRIMARY KEY (list, position),
          UNIQUE (list, id)
        ) WITHOUT ROWID;
        CREATE INDEX undo_traces ON undo (list, position) WHERE traces = 1;

        CREATE TABLE rejected (
          key INTEGER PRIMARY KEY AUTOINCREMENT,
          account BLOB NOT NULL,
          list BLOB NOT NULL,
          id BLOB NOT NULL,
          code TEXT NOT NULL,
          at INTEGER NOT NULL,
          content BLOB NOT NULL
        );

        CREATE TABLE notice (
          key INTEGER PRIMARY KEY AUTOINCREMENT,
          account BLOB NOT NULL,
          list BLOB NOT NULL,
          reason TEXT NOT NULL,
          kept INTEGER NOT NULL,
          at INTEGER NOT NULL,
          content BLOB NOT NULL
        );

        -- The last deviceSequence that was given; it outlives the list, which may come back.
        CREATE TABLE counter (
          list BLOB NOT NULL,
          device BLOB NOT NULL,
          last INTEGER NOT NULL,
          PRIMARY KEY (list, device)
        ) WITHOUT ROWID;
        """

    private static let versions = """
        -- Moves on with each transaction that touches what the list is folded from, whichever program makes it: so a
        -- fold that is kept in memory is known to be of this moment or of another.
        ALTER TABLE list ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
        -- When the last fetch came, by the wall clock.
        ALTER TABLE list ADD COLUMN received INTEGER NOT NULL DEFAULT 0;
        -- How often the service's digest was another, so that the list was fetched afresh, and when last.
        ALTER TABLE list ADD COLUMN differed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE list ADD COLUMN differed_at INTEGER;

        -- Items that were marked off, by this entry, before the person ever saw them.
        CREATE TABLE unseen (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          item BLOB NOT NULL,
          entry BLOB NOT NULL,
          PRIMARY KEY (list, item)
        ) WITHOUT ROWID;

        CREATE TRIGGER entry_inserted AFTER INSERT ON entry
        BEGIN UPDATE list SET version = version + 1 WHERE key = NEW.list; END;
        CREATE TRIGGER entry_updated AFTER UPDATE OF applied, content ON entry
        BEGIN UPDATE list SET version = version + 1 WHERE key = NEW.list; END;
        CREATE TRIGGER entry_deleted AFTER DELETE ON entry
        BEGIN UPDATE list SET version = version + 1 WHERE key = OLD.list; END;
        CREATE TRIGGER pending_inserted AFTER INSERT ON pending
        BEGIN UPDATE list SET version = version + 1 WHERE key = NEW.list; END;
        CREATE TRIGGER pending_updated AFTER UPDATE OF content, estimate ON pending
        BEGIN UPDATE list SET version = version + 1 WHERE key = NEW.list; END;
        CREATE TRIGGER pending_deleted AFTER DELETE ON pending
        BEGIN UPDATE list SET version = version + 1 WHERE key = OLD.list; END;
        """

    private static let indices = """
        -- One's own entries that the service took and no fetch has passed yet: few of many.
        CREATE INDEX taken ON pending (list, sequence) WHERE sequence IS NOT NULL;
        -- What is too old to be offered again goes with each fetch.
        CREATE INDEX confirmed_by_age ON confirmed (wall);
        """

    private static let refusals = """
        -- Each fetch tells how many were refused, and why: counted here, without what they say.
        CREATE INDEX refusals ON rejected (account, code, at);
        """

    private static let passed = """
        -- Of a step that counts as undone, though others had decided all of it since.
        ALTER TABLE undo ADD COLUMN passed INTEGER NOT NULL DEFAULT 0 CHECK (passed IN (0, 1));
        """

    private static let history = """
        -- What was bought, of entries that compression has taken since: for suggestions.
        CREATE TABLE bought (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          id BLOB NOT NULL,
          at INTEGER NOT NULL,
          content BLOB NOT NULL,
          PRIMARY KEY (list, id)
        ) WITHOUT ROWID;

        -- Items that were deleted while the person was shopping: their rows stay, struck through, until that is applied.
        CREATE TABLE struck (
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          item BLOB NOT NULL,
          PRIMARY KEY (list, item)
        ) WITHOUT ROWID;

        -- What syncing has failed with, and until when, for the person to read.
        CREATE TABLE sync_error (
          key INTEGER PRIMARY KEY AUTOINCREMENT,
          account BLOB NOT NULL,
          code TEXT NOT NULL,
          -- The first and the last try that failed so; and whether something has worked since.
          at INTEGER NOT NULL,
          until INTEGER NOT NULL,
          tries INTEGER NOT NULL,
          ended INTEGER NOT NULL DEFAULT 0 CHECK (ended IN (0, 1)),
          content BLOB NOT NULL
        );

        -- Lists that were the account's on the service, and have become lists of this device alone: they are still to be deleted there.
        CREATE TABLE leaving (
          account BLOB NOT NULL,
          id BLOB NOT NULL,
          PRIMARY KEY (account, id)
        ) WITHOUT ROWID;
        """

    private static let reading = """
        -- How far the account has read the list, on any of its devices as far as this one knows; and how far the service
        -- knows.
        ALTER TABLE list ADD COLUMN read INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE list ADD COLUMN read_told INTEGER NOT NULL DEFAULT 0;
        """

    private static let places = """
        -- Where the account keeps the list among its own, as far as this device knows; and which of these three the service has
        -- not been told: 1 for the first, 2 for the second, 4 for the third.
        ALTER TABLE list ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
        ALTER TABLE list ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
        ALTER TABLE list ADD COLUMN rank INTEGER;
        ALTER TABLE list ADD COLUMN place_untold INTEGER NOT NULL DEFAULT 0;
        """

    private static let shops = """
        -- The name of the shop where the person is shopping, encrypted; null: no shop in particular.
        ALTER TABLE list ADD COLUMN shop BLOB;
        """

    private static let overviews = """
        -- What the overview of all lists shows of one, as of this version and account, so that opening many lists folds none of
        -- them. Changes are unread beyond this read mark. Name and colour are encrypted.
        CREATE TABLE overview (
          list INTEGER PRIMARY KEY REFERENCES list (key) ON DELETE CASCADE,
          version INTEGER NOT NULL,
          read INTEGER NOT NULL,
          account BLOB NOT NULL,
          content BLOB NOT NULL,
          wanted INTEGER NOT NULL,
          marked_off INTEGER NOT NULL,
          unread INTEGER NOT NULL,
          entries INTEGER NOT NULL
        );
        """

    private static let trips = """
        -- The learned order of a list in shopping mode, as it was when the mode was switched on. So no row moves while the
        -- person shops.
        CREATE TABLE learned_order (
          list INTEGER PRIMARY KEY REFERENCES list (key) ON DELETE CASCADE,
          content BLOB NOT NULL
        );
        """

    private static let offers = """
        -- Offered to a service that had lost the list, and taken by it, though this device may not have made it: it is no
        -- entry of the device's own.
        ALTER TABLE confirmed ADD COLUMN offered INTEGER NOT NULL DEFAULT 0 CHECK (offered IN (0, 1));
        """

    private static let kept = """
        -- Since when it is kept. It may have been made long before the service confirmed it.
        ALTER TABLE confirmed ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
        UPDATE confirmed SET kept = wall;
        -- What is too old to be offered again goes with each fetch.
        DROP INDEX confirmed_by_age;
        CREATE INDEX confirmed_by_age ON confirmed (kept);
        """

    private static let invitations = """
        -- Invitations that were made here and that the service has not taken: with their secrets, and why they were refused.
        CREATE TABLE invitation (
          key INTEGER PRIMARY KEY AUTOINCREMENT,
          list INTEGER NOT NULL REFERENCES list (key) ON DELETE CASCADE,
          content BLOB NOT NULL
        );
        CREATE INDEX invitation_of_list ON invitation (list, key);
        """

    private static let ownership = """
        -- The account whose list it was. The list stays in sight, on this device alone, because the service no longer
        -- knew the account's session when it signed out.
        ALTER TABLE list ADD COLUMN former BLOB;
        -- The proof that the account owns the list. Empty: it doesn't. Null: the service has not said yet.
        ALTER TABLE list ADD COLUMN ownership BLOB;

        -- Confirmed before, perhaps as somebody else's, and offered again to a service that has lost the list.
        ALTER TABLE pending ADD COLUMN offered INTEGER NOT NULL DEFAULT 0 CHECK (offered IN (0, 1));

        -- Accounts that were signed in and of which something is still here: which service, and by which address.
        CREATE TABLE account (
          id BLOB PRIMARY KEY,
          content BLOB NOT NULL
        ) WITHOUT ROWID;
        """
}
