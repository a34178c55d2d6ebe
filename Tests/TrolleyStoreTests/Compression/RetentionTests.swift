import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyMigrations
@testable import TrolleyStore

@Suite("Retention", .timeLimit(.minutes(20)))
struct RetentionTests {
    @Test("dropped trail leaves the list as it was, and says up to where it is gone")
    func trail() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(4)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            _ = try await test.store.compress(list, olderThan: cutOff, step: 4)
            try await test.upload([.add("milk", 9)], to: list, by: alice)
            let before = try await test.store.state(of: list, for: alice.account)
            #expect(try await test.store.dropTrail(olderThan: cutOff.advanced(byMilliseconds: -60_000)) == 0)
            let later = try await test.store.now().advanced(byMilliseconds: 1)
            #expect(try await test.store.dropTrail(olderThan: later) == 2)
            #expect(try await test.store.dropTrail(olderThan: later) == 0)
            let changeRange = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 10)
            #expect(try changeRange.changes.map(\.sequence.rawValue) == [11])
            #expect(changeRange.trailFrom.rawValue == 10 && changeRange.isComplete)
            #expect(try await test.store.state(of: list, for: alice.account) == before)
        }
    }

    @Test("a list whose newest change was dropped with the trail is complete all the same")
    func trailAtHead() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(1)
            let cutOff = try await test.store.now().advanced(byMilliseconds: 1)
            _ = try await test.store.compress(list, olderThan: cutOff)
            let later = try await test.store.now().advanced(byMilliseconds: 1)
            try await test.store.dropTrail(olderThan: later)
            let changeRange = try await test.store.changes(of: list, for: alice.account, after: .start, limit: 1)
            #expect(changeRange.stored.isEmpty && changeRange.isComplete && changeRange.head.rawValue == 3)
        }
    }

    @Test("dropped months of the Activity leave their ids taken, and a late entry brings nothing back")
    func activity() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(2)
            let entries = try await test.entries(list, seenBy: alice).map(\.entry)
            try await test.age(list, by: "400 days")
            let now = try await test.store.now()
            _ = try await test.store.compress(list, olderThan: now.advanced(byMilliseconds: -14 * 86_400_000))
            #expect(try await test.activity(list, seenBy: alice) == entries.map(\.id).reversed())
            // A later month is kept.
            let bread = JournalEntry.add("bread", 5)
            try await test.upload([bread], to: list, by: alice)
            #expect(try await test.store.dropActivity(olderThan: now.advanced(byMilliseconds: -600 * 86_400_000)) == 0)
            #expect(try await test.store.dropActivity(olderThan: now.advanced(byMilliseconds: -300 * 86_400_000)) == 1)
            #expect(try await test.store.dropActivity(olderThan: now.advanced(byMilliseconds: -300 * 86_400_000)) == 0)
            #expect(try await test.activity(list, seenBy: alice) == [bread.id])

            // The ids stay used: a retry gets the first answer.
            let again = try await test.upload(entries, to: list, by: alice)
            #expect(again.statuses == entries.map { _ in .duplicate } && again.sequences == [1, 2, 3, 4])
            let other = try await test.list(of: alice)
            #expect(try await test.upload([entries[0]], to: other, by: alice).statuses == [.applied])

            // An edit of a forgotten item is applied and brings nothing back.
            let edit = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .edit, item: entries[0].item,
                fields: ["note": "late"], deviceSequence: 6)
            let behind = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .add,
                item: .version7(at: .now, random: RandomBits.random), after: entries[2].item,
                fields: ["text": "eggs"], deviceSequence: 7)
            #expect(try await test.upload([edit, behind], to: list, by: alice).statuses == [.applied, .applied])
            let state = try await test.store.state(of: list, for: alice.account)
            #expect(state.state.items.map(\.text) == ["bread", "eggs"])
            let replay = try await test.store.replay(of: list, for: alice.account, through: nil)
            #expect(replay.folded.fold.digest.description == state.digest)
            #expect(replay.replayContext.retainedFrom != nil)
        }
    }

    @Test("the month that the cut-off is in stays, down to its first moment; the one before it goes")
    func ownMonth() async throws {
        try await TestStore.with { test in
            var lists: [ListID] = []
            for (name, moment) in [("before", "2026-02-28T23:59:59.999Z"), ("first", "2026-03-01T00:00:00Z")] {
                let (_, list) = try await test.finishedItems(1, by: name)
                _ = try await test.pool.withConnection { connection in
                    try await connection.execute(
                        """
                        UPDATE entry
                        SET made_at = \(unescaped: "'\(moment)'"), received_at = \(unescaped: "'\(moment)'")
                        WHERE list_id = \(list)
                        """)
                }
                _ = try await test.store.compress(list, olderThan: try await test.store.now())
                lists.append(list)
            }
            func archived() async throws -> [ListID] {
                let rows = try await test.pool.withConnection { connection in
                    try await connection.execute("SELECT DISTINCT list_id FROM archived_entry")
                }
                return try rows.map { try $0.decode(ListID.self, at: 0) }
            }
            #expect(try await Set(archived()) == Set(lists))
            let cutOff = try #require(Timestamp("2026-03-31T23:59:59.999Z"))
            #expect(try await test.store.dropActivity(olderThan: cutOff) == 1)
            #expect(try await archived() == [lists[1]])
            #expect(try await test.store.dropActivity(olderThan: cutOff.advanced(byMilliseconds: 1)) == 1)
            #expect(try await archived().isEmpty)
        }
    }

    @Test("entries older than the retention are not archived by a later compression")
    func notArchivedAgain() async throws {
        try await TestStore.with { test in
            let (alice, list) = try await test.finishedItems(1)
            try await test.age(list, by: "400 days")
            let now = try await test.store.now()
            try await test.store.dropActivity(olderThan: now.advanced(byMilliseconds: -300 * 86_400_000))
            let entries = try await test.entries(list, seenBy: alice).map(\.entry)
            #expect(
                try await test.store.compress(list, olderThan: now)?.discarded == 2)
            #expect(try await test.activity(list, seenBy: alice).isEmpty)
            #expect(try await test.upload(entries, to: list, by: alice).statuses == [.duplicate, .duplicate])
        }
    }

    @Test(
        "a database from before the partitions keeps its Activity, its ids and its lists",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func migration() async throws {
        try await withTestDatabase { url in
            let pool = Pool(try Store.configuration(url), options: .patient(2))
            try await Migrator(pool: pool, migrations: Array(Migrations.all.prefix(3))).migrate()
            try await pool.withConnection { connection in
                try await connection.run(
                    script: """
                        INSERT INTO archived_entry (
                            list_id, sequence, entry_id, operation, item_id, cause, device_sequence, author_id,
                            device_id, made_at, received_at)
                        SELECT
                            md5('list')::uuid, n, md5(n::text)::uuid, 'add', md5('item' || n)::uuid, 'edit', n,
                            md5('anna')::uuid, md5('phone')::uuid, at, at
                        FROM (
                            SELECT n, timestamptz '2025-11-30T23:59:59.998Z' + n * interval '1 ms' AS at
                            FROM generate_series(1, 3) AS n
                        ) AS made
                        """)
            }
            try await Migrator(pool: pool).migrate()
            let rows = try await pool.withConnection { connection in
                try await connection.execute(
                    """
                    SELECT archived.tableoid::regclass::text
                    FROM archived_entry AS archived
                    JOIN archived_id AS id USING (list_id, sequence, entry_id, item_id, received_at, made_at)
                    ORDER BY archived.sequence
                    """)
            }
            #expect(
                try rows.map { try $0.decode(String.self, at: 0) } == [
                    "archived_entry_2025_11", "archived_entry_2025_12", "archived_entry_2025_12",
                ])
            await pool.close()
        }
    }
}

extension TestStore {
    /// Makes all entries of a list older.
    func age(_ list: ListID, by interval: String) async throws {
        // In UTC, so that the value depends on no setting: Citus requires that in an UPDATE.
        func earlier(_ column: String) -> String {
            "(\(column) AT TIME ZONE 'UTC' - interval '\(interval)') AT TIME ZONE 'UTC'"
        }
        try await pool.withConnection { connection in
            try await connection.execute(
                """
                UPDATE entry
                SET made_at = \(unescaped: earlier("made_at")),
                    received_at = \(unescaped: earlier("received_at"))
                WHERE list_id = \(list)
                """)
            try await connection.execute(
                """
                UPDATE list SET uncompressed_since = \(unescaped: earlier("uncompressed_since"))
                WHERE id = \(list)
                """)
        }
    }

    /// The entries of a list's Activity, newest first.
    func activity(_ list: ListID, seenBy session: Session) async throws -> [EntryID] {
        try await store.activity(of: list, for: session.account, before: nil, by: nil, of: nil, limit: 100)
            .items.compactMap { item in if case .entry(let entry) = item.event { entry.entry.id } else { nil } }
    }
}
