import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// A store on a migrated database of its own, with short helpers for tests.
struct TestStore: Sendable {
    let store: Store
    let pool: Pool

    static let migrated = TestTemplate(name: "migrated") { url in
        let pool = Pool(try Store.configuration(url))
        try await Migrator(pool: pool).migrate()
        await pool.close()
    }

    /// - Parameters:
    ///   - connections: the maximum number. All tests share one server.
    ///   - settings: overrides settings of the session.
    static func with<Value>(
        connections: Int = 3, appending: Appender.Options = .init(), reading: ReadingLimits = .init(),
        settings: [String: String] = [:], _ body: (TestStore) async throws -> Value
    ) async throws -> Value {
        try await withTestDatabase(migrated) { url in
            var configuration = try Store.configuration(url).holdingLocks()
            configuration.sessionSettings.merge(settings) { $1 }
            let pool = Pool(configuration, options: .patient(connections))
            do {
                let test = TestStore(store: Store(pool: pool, reading: reading, appending: appending), pool: pool)
                let value = try await body(test)
                #expect(try await test.miscounted().isEmpty, "list.live_entries isn't the number of entries")
                await pool.close()
                return value
            } catch {
                await pool.close()
                throw error
            }
        }
    }

    /// The lists whose number of live entries isn't what the list's row says. Checked after each test, so that everything that
    /// puts entries there or takes them away is checked.
    func miscounted() async throws -> [ListID] {
        try await pool.withConnection { connection in
            // Some tests take the table away, to show that nothing reads it.
            guard
                try await connection.execute("SELECT to_regclass('entry')::text")[0].decode(String?.self, at: 0) != nil
            else { return [] }
            return try await connection.execute(
                """
                SELECT list.id
                FROM list
                WHERE list.live_entries <> (SELECT count(*) FROM entry WHERE entry.list_id = list.id)
                """
            ).map { try $0.decode(ListID.self, at: 0) }
        }
    }

    /// A person with a device.
    func person(_ name: String) async throws -> Session {
        let account = try await store.createAccount(
            email: EmailAddress(unchecked: "\(name)@example.com"), name: name, passwordHash: "-")
        let device = try await store.createDevice(
            account: account.id, name: "phone", tokenHash: (0..<32).map { _ in .random(in: .min ... .max) })
        return Session(account: account.id, device: device.id)
    }

    func list(of owner: Session) async throws -> ListID {
        let id = ListID.version7(at: .now, random: RandomBits.random)
        return try await store.createList(id, owner: owner.account).list.id
    }

    /// Invites a person to a list by name, and accepts for them.
    /// - Returns: the hash of the invitation's secret.
    @discardableResult
    func add(_ person: Session, to list: ListID, of owner: Session, _ permission: Permission = .readWrite)
        async throws -> [UInt8]
    {
        let secret = try await invite(try await store.account(person.account).email, to: list, of: owner, permission)
        _ = try await store.acceptInvitation(secretHash: secret, by: person.account, limit: 100)
        return secret
    }

    /// - Parameter email: nil makes a one-time link.
    func invite(
        _ email: String?, to list: ListID, of owner: Session, _ permission: Permission = .readWrite, limit: Int = 100
    ) async throws -> [UInt8] {
        let secret: [UInt8] = (0..<32).map { _ in .random(in: .min ... .max) }
        let invitation = NewInvitation(
            email: email.map { EmailAddress(unchecked: $0) }, permission: permission, secretHash: secret)
        try await store.invite(invitation, to: list, by: owner.account, limit: limit)
        return secret
    }

    @discardableResult
    func upload(
        _ entries: [JournalEntry], to list: ListID, by session: Session, age: Int64 = 0, atomic: Bool = false,
        validateOnly: Bool = false, ageCap: Int64 = Limits().ageCap
    ) async throws -> [UploadResult] {
        let request = UploadRequest(
            entries: entries.map { UploadEntry(entry: $0, age: age) }, atomic: atomic, validateOnly: validateOnly)
        let body = try UploadBody(json: request.json, limits: Limits())
        return try await store.append(body, to: list, by: session, ageCap: ageCap).results
    }

    /// Runs commands, one by one. If the lists' tables are distributed, triggers on them need a setting, which has no
    /// effect otherwise.
    func run(_ script: String) async throws {
        try await pool.withConnection { connection in
            for command in ["SET citus.enable_unsafe_triggers = on"] + Script(script).commands {
                try await connection.run(script: command)
            }
        }
    }

    /// All changes of a list's stream.
    func stream(_ list: ListID, seenBy session: Session) async throws -> [Change] {
        var (changes, after) = ([Change](), SequenceNumber.start)
        while true {
            let page = try await store.changes(of: list, for: session.account, after: after, limit: .max)
            changes += try page.changes
            guard let last = try page.last, !page.isComplete else { return changes }
            after = last.sequence
        }
    }

    func entries(_ list: ListID, seenBy session: Session) async throws -> [ConfirmedEntry] {
        try await stream(list, seenBy: session).compactMap { change in
            if case .entry(let entry) = change.body { entry } else { nil }
        }
    }

    /// The people of each state of the share, by name (by address if there is no account) and status.
    func shares(_ list: ListID, seenBy session: Session) async throws -> [[String]] {
        try await stream(list, seenBy: session).compactMap { change in
            guard case .share(let share) = change.body else { return nil }
            return share.participants.map { "\($0.name ?? $0.email ?? "?") \($0.status)" }
        }
    }
}

extension Pool.Options {
    /// With enough time for a busy machine.
    static func patient(_ connections: Int) -> Pool.Options {
        var options = Pool.Options()
        options.maximumConnections = connections
        options.acquireTimeout = .seconds(120)
        return options
    }
}

extension JournalEntry {
    /// An `add` with an id of its own.
    static func add(_ text: String, _ deviceSequence: Int64 = 1, fields: Fields = [:]) -> JournalEntry {
        var fields = fields
        fields["text"] = .string(text)
        return JournalEntry(
            id: .version7(at: .now, random: RandomBits.random), operation: .add,
            item: .version7(at: .now, random: RandomBits.random), fields: fields, deviceSequence: deviceSequence)
    }
}

extension [UploadResult] {
    var statuses: [UploadResult.Status] { map(\.status) }
    var sequences: [Int64?] { map { $0.sequence?.rawValue } }
    var codes: [ProblemCode?] { map(\.code) }
}

/// The error of a call on the store, as text that tests compare.
func failure<Value>(_ body: () async throws -> Value) async -> String {
    do {
        _ = try await body()
        return "nothing"
    } catch {
        return "\(error)"
    }
}
