import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyServer

@Suite("Receipts of entries", .timeLimit(.minutes(20)))
struct EntryReceiptTests {
    /// Ann's list, with Ben's entries of each kind in it, as Ann's device has fetched them.
    private struct Scene {
        let service: TestService
        let ann: Person
        let ben: Person
        let list: ListID
        let entries: [ConfirmedEntry]

        init(_ service: TestService) async throws {
            self.service = service
            ann = try await service.person("ann")
            ben = try await service.person("ben")
            list = try await service.list(of: ann)
            try await service.add(ben, to: list, of: ann)
            let (milk, eggs) = (JournalEntry.add("milk \"é\" 🥛", 7), JournalEntry.add("eggs", 8))
            let item = try #require(milk.item)
            let message = JournalEntry(
                id: .random(), operation: .message, fields: ["text": "who goes?"], deviceSequence: 12)
            let made: [JournalEntry] = [
                milk, eggs,
                JournalEntry(
                    id: .random(), operation: .edit, item: item, fields: ["amount": .json("1.5"), "note": "ripe\n"],
                    batch: .random(), cause: .undo, reverts: eggs.id, deviceSequence: 9),
                JournalEntry(id: .random(), operation: .move, item: item, after: eggs.item, deviceSequence: 10),
                JournalEntry(id: .random(), operation: .renameList, fields: ["name": "Weekly"], deviceSequence: 11),
                message,
                JournalEntry(
                    id: .random(), operation: .react, fields: ["message": .string("\(message.id)"), "text": "👍"],
                    deviceSequence: 13),
            ]
            // By a device that was offline for an hour.
            let request = UploadRequest(entries: made.map { UploadEntry(entry: $0, age: 3_600_000) })
            let answer = try await service.call(
                "POST", Path.entries(list), token: ben.token, body: request.json)
            let response: UploadResponse = try answer.decode()
            try #require(response.results.allSatisfy { $0.status == .applied })
            entries = try await service.changes(list, for: ann).entries
            try #require(entries.count == made.count && entries.allSatisfy { $0.author == ben.account })
        }

        /// Leaves the list as a backup has it that was made before the entries.
        func lose() async throws {
            try await service.pool.withConnection { connection in
                for table in ["entry", "event"] {
                    _ = try await connection.execute(
                        "DELETE FROM \(unescaped: table) WHERE list_id = \(list)")
                }
                _ = try await connection.execute(
                    """
                    UPDATE list SET head = 0, bytes = 0, live_entries = 0, messages = 0, name = NULL WHERE id = \(list)
                    """)
            }
        }

        /// Uploads as Ann.
        /// - Returns: the list's entries then.
        func offer(_ entries: [UploadEntry], to list: ListID? = nil) async throws -> [ConfirmedEntry] {
            let list = list ?? self.list
            let answer = try await service.call(
                "POST", Path.entries(list), token: ann.token, body: UploadRequest(entries: entries).json)
            let response: UploadResponse = try answer.decode()
            #expect(response.results.allSatisfy { $0.status == .applied }, "\(response.results)")
            return try await service.changes(list, for: ann).entries
        }
    }

    @Test("what another device brings back to a restored service keeps its author, device, number and time, twice over")
    func broughtBack() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            var known = scene.entries
            #expect(known.allSatisfy { $0.receipt != nil })
            for _ in 1...2 {
                try await scene.lose()
                let back = try await scene.offer(known.map { UploadEntry(entry: $0.entry, age: 0, origin: $0.origin) })
                #expect(back.map(\.entry) == scene.entries.map(\.entry))
                #expect(back.allSatisfy { $0.author == scene.ben.account && $0.device == scene.ben.device })
                #expect(back.map(\.madeAt) == scene.entries.map(\.madeAt))
                #expect(back.map(\.receipt) == scene.entries.map(\.receipt))
                known = back
            }
            let everything = try await service.allChanges([:], for: scene.ben)
            let page = try #require(everything.lists.first { $0.id == scene.list }?.page)
            #expect(page.entries.map(\.receipt) == scene.entries.map(\.receipt))
        }
    }

    @Test(
        "an origin that the service didn't confirm is not believed: the entry is its sender's", arguments: Forgery.all)
    private func forged(_ forgery: Forgery) async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            try await scene.lose()
            let genuine = scene.entries[2]
            var offered = UploadEntry(entry: genuine.entry, age: 0, origin: genuine.origin)
            forgery.change(&offered, scene.entries[1])
            let back = try await scene.offer([offered])
            #expect(back.map(\.author) == [scene.ann.account] && back.map(\.device) == [scene.ann.device])
        }
    }

    @Test func `words that nobody can prove name who wrote them, and stay the sender's`() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            try await scene.lose()
            func offered(_ name: String?, by author: AccountID, _ entry: JournalEntry) -> UploadEntry {
                UploadEntry(
                    entry: entry.with(id: .random()), age: 0,
                    origin: EntryOrigin(
                        author: author, device: scene.ben.device, madeAt: Timestamp(milliseconds: 1_000),
                        receipt: EntryReceipt("AAAAAAAA"), authorName: name))
            }
            let add = try #require(scene.entries.first { $0.entry.operation == .add }).entry
            var markOff = add
            markOff.operation = .markOff
            markOff.fields = [:]
            let long = String(repeating: "ß", count: 300)
            let back = try await scene.offer([
                offered("Ben", by: scene.ben.account, add), offered(nil, by: scene.ben.account, add),
                offered("Ann", by: scene.ann.account, add), offered("Ben", by: scene.ben.account, markOff),
                offered(long, by: scene.ben.account, add),
            ])
            #expect(back.allSatisfy { $0.author == scene.ann.account && $0.device == scene.ann.device })
            let names = back.map { $0.entry.fields[Fields.writtenBy]?.string }
            #expect(names == ["Ben", nil, nil, nil, String(long.prefix(100))])
            #expect(back[0].entry.fields[Fields.writtenAt]?.string == "1970-01-01T00:00:01.000Z")
            // The same again is the same entry.
            let again = try await scene.service.call(
                "POST", Path.entries(scene.list), token: scene.ann.token,
                body: UploadRequest(entries: [
                    UploadEntry(
                        entry: add.with(id: back[0].entry.id), age: 0,
                        origin: offered("Ben", by: scene.ben.account, add).origin)
                ]).json)
            let response: UploadResponse = try again.decode()
            #expect(response.results.map(\.status) == [.duplicate])
        }
    }

    /// A way to put words into somebody's mouth.
    fileprivate struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Changes an entry's upload, given another entry.
        let change: @Sendable (inout UploadEntry, ConfirmedEntry) -> Void

        static let all: [Forgery] = [
            Forgery(testDescription: "other words") { upload, _ in upload.entry.fields["note"] = "rotten" },
            Forgery(testDescription: "no words") { upload, _ in upload.entry.fields = [:] },
            Forgery(testDescription: "another item") { upload, other in upload.entry.item = other.entry.item },
            Forgery(testDescription: "another operation") { upload, _ in upload.entry.operation = .markOff },
            Forgery(testDescription: "another id") { upload, _ in upload.entry = upload.entry.with(id: .random()) },
            Forgery(testDescription: "another number") { upload, _ in upload.entry.deviceSequence += 1 },
            Forgery(testDescription: "another batch") { upload, _ in upload.entry.batch = nil },
            Forgery(testDescription: "another cause") { upload, _ in upload.entry.cause = .redo },
            Forgery(testDescription: "another reverted entry") { upload, _ in upload.entry.reverts = nil },
            Forgery(testDescription: "another author") { upload, _ in upload.origin?.author = .random() },
            Forgery(testDescription: "another device") { upload, _ in upload.origin?.device = .random() },
            Forgery(testDescription: "another time") { upload, _ in
                upload.origin?.madeAt = Timestamp(milliseconds: 1)
            },
            Forgery(testDescription: "another entry's receipt") { upload, other in
                if let receipt = other.receipt { upload.origin?.receipt = receipt }
            },
            Forgery(testDescription: "a guessed receipt") { upload, _ in
                if let guess = EntryReceipt("AAAAAAAA") { upload.origin?.receipt = guess }
            },
        ]
    }

    @Test("a receipt is worth nothing on another list")
    func otherList() async throws {
        try await TestService.with { service in
            let scene = try await Scene(service)
            let other = try await service.list(of: scene.ann)
            let back = try await scene.offer(
                scene.entries.prefix(1).map { UploadEntry(entry: $0.entry, age: 0, origin: $0.origin) }, to: other)
            #expect(back.map(\.author) == [scene.ann.account])
        }
    }

    @Test("an entry as large as allowed can be brought back, and its receipt holds when its anchor has changed")
    func large() async throws {
        try await TestService.with(limits: Limits(bytesPerEntry: 600)) { service in
            let (ann, ben) = (try await service.person("ann"), try await service.person("ben"))
            let list = try await service.list(of: ann)
            try await service.add(ben, to: list, of: ann)
            // As many as leave the entry just below the limit.
            let words = 600 - JournalEntry.add("").uploadBytes
            _ = try await service.upload([.add(String(repeating: "x", count: words))], to: list, by: ben)
            let page = try await service.changes(list, for: ann)
            var entry = try #require(page.entries.first)
            #expect(UploadEntry(entry: entry.entry, age: 0).bytes == 600)
            try await service.pool.withConnection { connection in
                _ = try await connection.execute("DELETE FROM entry WHERE list_id = \(list)")
            }
            entry.entry.after = .random()
            let request = UploadRequest(entries: [UploadEntry(entry: entry.entry, age: 0, origin: entry.origin)])
            let answer = try await service.call("POST", Path.entries(list), token: ann.token, body: request.json)
            #expect(try answer.decode(UploadResponse.self).results.map(\.status) == [.applied])
            let back = try await service.changes(list, for: ann).entries
            #expect(back.map(\.author) == [ben.account])
        }
    }
}

extension JournalEntry {
    fileprivate func with(id: EntryID) -> JournalEntry {
        JournalEntry(
            id: id, operation: operation, item: item, after: after, fields: fields, batch: batch, cause: cause,
            reverts: reverts, deviceSequence: deviceSequence)
    }

    fileprivate var uploadBytes: Int { UploadEntry(entry: self, age: 0).bytes }
}

extension UploadEntry {
    fileprivate var bytes: Int {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes.count
    }
}
