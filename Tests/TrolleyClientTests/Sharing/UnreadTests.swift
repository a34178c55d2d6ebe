import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Counts of other people's changes after the read mark.
@Suite(.timeLimit(.minutes(20))) struct UnreadTests {
    let directory = TemporaryDirectory()
    let list: ListID = Samples.id()
    let ann: AccountID = Samples.id()
    let ben: AccountID = Samples.id()
    let now = Samples.time().wall

    private func device() async throws -> Device {
        let device = try Device(directory: directory.path)
        try await device.store.signIn(
            AccountSession(
                server: "http://localhost:1", token: "secret", account: ann, email: "ann@example.com", name: "Ann",
                device: Samples.id()))
        return device
    }

    private func entry(_ place: Int64, by author: AccountID) -> Change {
        let sequence = SequenceNumber(rawValue: place)
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: Samples.add("item \(place)"), sequence: sequence, author: author, device: Samples.id(),
                    madeAt: now, receivedAt: now)))
    }

    private func message(_ place: Int64, by author: AccountID) -> Change {
        let sequence = SequenceNumber(rawValue: place)
        let message = JournalEntry(
            id: Samples.id(), operation: .message, fields: ["text": .string("\(place)")], deviceSequence: place)
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: message, sequence: sequence, author: author, device: Samples.id(), madeAt: now,
                    receivedAt: now)))
    }

    private func receive(_ changes: [Change], on device: Device, snapshot: Bool = false) async throws {
        let page = ChangesPage(
            changes: changes, token: "\(changes.count)", moreComing: false, snapshot: snapshot)
        _ = try await device.store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
        try await device.list(list).apply()
    }

    @Test func `a summary without what is unread opens no entry again that was folded`() async throws {
        let device = try await device()
        try await receive([entry(1, by: ben)], on: device, snapshot: true)
        #expect(try await device.list(list).state().items.count == 1)
        try await device.store.write { transaction in
            // The cached fold stays that of the list's version.
            try transaction.db.execute(sql: "DROP TRIGGER entry_updated")
            try transaction.db.execute(sql: "UPDATE entry SET content = x'00'")
        }
        let summary = try await device.list(list).summaryWithoutUnread()
        #expect(summary.wanted == 1 && summary.unread == 0)
        await #expect(throws: DeviceError.self) { _ = try await device.list(list).summary() }
        await device.close()
    }

    @Test func `what others did after the read mark is unread, offline too, and what the person did elsewhere is not`()
        async throws
    {
        let device = try await device()
        try await receive([entry(1, by: ann), entry(2, by: ben)], on: device, snapshot: true)
        #expect(try await device.list(list).summary().unread == 1)
        #expect(try await device.list(list).markRead(offline: true).rawValue == 2)
        #expect(try await device.list(list).summary().unread == 0)
        try await receive(
            [
                entry(3, by: ben), Change(sequence: SequenceNumber(rawValue: 4), body: .share(ShareState())),
                entry(5, by: ann), entry(6, by: ben),
            ], on: device)
        #expect(try await device.lists().map(\.unread) == [2])
        try await device.list(list).add("milk")
        #expect(try await device.lists().map(\.unread) == [2], "nobody has to read what they do themselves")
        await device.close()

        let again = try Device(directory: directory.path)
        #expect(try await again.lists().map(\.unread) == [2], "it survives a restart")
        #expect(
            try await again.list(list).markRead().rawValue == 6, "the service can't be reached, and the mark is here")
        #expect(try await again.lists().map(\.unread) == [0])
        #expect(try await again.store.readMarks().map(\.isUntold) == [true], "the next sync tells the service")
        await again.close()
    }

    @Test func `of messages that are shown, only those that are unread and from others move the mark`() async throws {
        let device = try await device()
        try await receive((1...5).map { message($0, by: $0 % 2 == 1 ? ben : ann) }, on: device, snapshot: true)
        let shown = try await device.list(list).messages()
        #expect(shown.map(\.text) == ["1", "2", "3", "4", "5"])
        func mark(_ places: Int...) async throws -> (hasMoved: Bool, through: Int64) {
            let seen = places.map { shown[$0 - 1] }
            let hasMoved = try await device.list(list).markRead(seen, offline: true)
            return (hasMoved, try #require(try await device.store.readMarks().first).read.rawValue)
        }
        #expect(try await mark(2, 4) == (false, 0), "the person's own")
        #expect(try await mark(2, 3, 4) == (true, 3))
        #expect(try await mark(1, 3, 4) == (false, 3), "nothing unread")
        #expect(try await mark(5) == (true, 5))
        await device.close()
    }

    @Test func `what waits to be shown while shopping is unread`() async throws {
        let device = try await device()
        try await receive([entry(1, by: ben)], on: device, snapshot: true)
        try await device.list(list).markRead(offline: true)
        try await device.list(list).setShopping(true)
        let page = ChangesPage(changes: [entry(2, by: ben)], token: "2", moreComing: false, snapshot: false)
        _ = try await device.store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
        try await device.list(list).markRead(offline: true)
        #expect(try await device.list(list).summary().unread == 1)
        try await device.list(list).apply()
        try await device.list(list).markRead(offline: true)
        #expect(try await device.list(list).summary().unread == 0)
        await device.close()
    }

    @Test func `a mark from another device only moves on, and a restored service's sequences are read anew`()
        async throws
    {
        let device = try await device()
        try await receive((1...6).map { entry($0, by: ben) }, on: device, snapshot: true)
        try await device.store.noteRead(list, through: SequenceNumber(rawValue: 4))
        #expect(try await device.list(list).summary().unread == 2)
        try await device.store.noteRead(list, through: SequenceNumber(rawValue: 3))
        #expect(try await device.list(list).summary().unread == 2)
        try await device.list(list).markRead(offline: true)
        #expect(try await device.list(list).summary().unread == 0)
        // The service has lost 4 to 6. A new entry has the number 4.
        try await receive((1...3).map { entry($0, by: ben) }, on: device, snapshot: true)
        try await receive([entry(4, by: ben)], on: device)
        #expect(try await device.list(list).summary().unread == 1)
        await device.close()
    }

    @Test func `a mark that the service refuses is stored all the same, and told again`() async throws {
        let service = InMemoryService()
        let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
        let list = try await ann.makeList(named: "Party")
        _ = try await ben.join(try await list.invite().link)
        try await ben.list(list.id).add("chips")
        _ = try await ben.sync()
        _ = try await ann.sync()
        #expect(try await list.summary().unread > 0)
        service.goWrong { _, path in path.hasSuffix("/read") ? .problem(Problem(.invalidArguments)) : nil }
        try await list.markRead()
        #expect(try await list.summary().unread == 0)
        #expect(try await ann.store.readMarks().map(\.isUntold) == [true])
        service.goWrong { _, _ in nil }
        _ = try await ann.sync()
        #expect(try await ann.store.readMarks().map(\.isUntold) == [false])
    }
}
