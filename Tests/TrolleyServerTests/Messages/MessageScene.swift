import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// A list of two people, and calls about its messages.
struct MessageScene: Sendable {
    let service: TestService
    let anna: Person
    let ben: Person
    let list: ListID

    static func with(_ body: @Sendable @escaping (MessageScene) async throws -> Void) async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let list = try await service.list(of: anna)
            try await service.add(ben, to: list, of: anna)
            try await body(MessageScene(service: service, anna: anna, ben: ben, list: list))
        }
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
