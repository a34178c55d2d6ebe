import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

/// A list of two people, and calls about its messages.
struct MessageScene: Sendable {
    let service: TestService
    let anna: Person
    let ben: Person
    let list: ListID

    static func with(_ body: @Sendable @escaping (MessageScene) async throws -> Void) async throws {
        try await TestService.with { try await body(MessageScene($0)) }
    }

    init(_ service: TestService) async throws {
        self.service = service
        anna = try await service.person("anna")
        ben = try await service.person("ben")
        list = try await service.list(of: anna)
        try await service.add(ben, to: list, of: anna)
    }

    /// The same people and list, at another service process.
    init(_ scene: MessageScene, at service: TestService) {
        self.service = service
        (anna, ben, list) = (scene.anna, scene.ben, scene.list)
    }

    /// Uploads one entry.
    func send(_ entry: JournalEntry, by person: Person, to other: ListID? = nil) async throws -> UploadResult {
        try await service.upload([entry], to: other ?? list, by: person).results[0]
    }

    @discardableResult
    func say(_ text: String, by person: Person) async throws -> EntryID {
        let entry = JournalEntry.message(text)
        #expect(try await send(entry, by: person).status == .applied)
        return entry.id
    }

    /// `GET …/messages` with a query.
    func messages(_ query: String = "", for person: Person) async throws -> (page: ReadPage, bytes: Int) {
        let answer = try await service.call("GET", "\(Path.messages(list))?\(query)", token: person.token)
        try #require(answer.status == 200, "\(answer.text)")
        return (try answer.decode(), answer.body.count)
    }

    func deleted(since: String, for person: Person) async throws -> DeletedMessages {
        let path = "\(Path.deletedMessages(list))?since=\(since)"
        return try await service.call("GET", path, token: person.token).decode()
    }

    /// Says that a person has read messages.
    func read(_ messages: [EntryID], by person: Person) async throws -> Answer {
        let ids = messages.map { "\"\($0)\"" }.joined(separator: ",")
        return try await service.call(
            "POST", Path.readMessages(list), token: person.token, json: #"{"messages":[\#(ids)]}"#)
    }

    /// Compresses the list three weeks from now.
    /// - Returns: the number of entries that are left.
    @discardableResult
    func compressLater() async throws -> Int64 {
        try await service.pool.withConnection { connection in
            try await connection.execute(
                "UPDATE entry SET received_at = received_at - interval '21 days', made_at = made_at - interval '21 days'"
            )
            try await connection.execute("UPDATE list SET uncompressed_since = now() - interval '21 days'")
        }
        let store = Store(pool: service.pool)
        _ = try await store.compress(
            list, olderThan: try await store.now().advanced(byMilliseconds: -Age(days: 14).milliseconds))
        return try await service.pool.withConnection { connection in
            try await connection.execute("SELECT count(*) FROM entry")[0].decode(Int64.self, at: 0)
        }
    }

    /// Puts messages of one person into an empty list, as uploads would.
    func fill(_ count: Int) async throws {
        try await service.pool.withConnection { connection in
            try await connection.execute(
                """
                INSERT INTO entry (
                    list_id, sequence, entry_id, operation, fields, cause, device_sequence, author_id, device_id, made_at,
                    received_at)
                SELECT \(list), list.head + number, gen_random_uuid(), 'message',
                    json_build_object('text', 'message ' || number), 'edit', number, \(anna.account), \(anna.device),
                    now(), now()
                FROM list, generate_series(1, \(Int64(count))) AS number
                WHERE list.id = \(list)
                """)
            try await connection.execute(
                "UPDATE list SET head = head + \(Int64(count)), messages = \(Int64(count)) WHERE id = \(list)")
        }
    }
}

extension JournalEntry {
    static func message(_ text: String, about item: ItemID? = nil) -> JournalEntry {
        JournalEntry(
            id: .random(), operation: .message, item: item, fields: [Fields.text: .string(text)], deviceSequence: 1)
    }

    static func about(
        _ message: EntryID, _ operation: TrolleyJournal.Operation, _ text: String? = nil
    ) -> JournalEntry {
        var fields: Fields = [Fields.message: .string(message.description)]
        if let text { fields[Fields.text] = .string(text) }
        return JournalEntry(id: .random(), operation: operation, fields: fields, deviceSequence: 1)
    }
}
