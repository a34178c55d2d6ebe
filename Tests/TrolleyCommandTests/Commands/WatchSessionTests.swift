import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct WatchSessionTests {
    private let service = StubService()
    private let list: ListID = StubService.id(5)
    private let bob: AccountID = StubService.id(6)

    /// A device with a list that Bob shares with Ann, and on which he has written an entry.
    private func device(_ entry: JournalEntry, permission: Permission = .readWrite) async throws -> Device {
        let device = try await service.device()
        let people = ShareState(participants: [
            Participant(account: StubService.account, name: "Ann", permission: permission, status: .accepted),
            Participant(account: bob, name: "Bob", role: .owner, status: .accepted),
        ])
        let share = Change(sequence: SequenceNumber(rawValue: 1), body: .share(people))
        let page = ChangesPage(
            changes: [share, written(entry, at: 2)], token: "1", moreComing: false, snapshot: true)
        service.bring([.init(id: list, page: page)])
        #expect(try await device.sync().failure == nil)
        service.bring([])
        return device
    }

    private func written(_ entry: JournalEntry, at number: Int64) -> Change {
        let (sequence, now) = (SequenceNumber(rawValue: number), Timestamp.now())
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: entry, sequence: sequence, author: bob, device: StubService.id(9), madeAt: now,
                    receivedAt: now)))
    }

    private func addition(_ text: String, _ number: UInt64) -> JournalEntry {
        JournalEntry(
            id: StubService.id(number), operation: .add, item: StubService.id(number + 1),
            fields: [Fields.text: .string(text)], deviceSequence: Int64(number))
    }

    @Test func `what is drawn names people without asking the service`() async throws {
        let message = JournalEntry(
            id: StubService.id(8), operation: .message, fields: [Fields.text: "the blue one"], deviceSequence: 1)
        let device = try await device(message)
        let calls = service.calls
        let watch = WatchSession(device: device, list: list, interval: .seconds(30))
        let watched = try await device.list(list).watched(messages: WatchView.maximumMessages)
        #expect(watch.messageLines(watched) == ["Bob: the blue one"])
        #expect(service.calls == calls)
        await device.close()
    }

    @Test func `however often the screen is drawn, one read mark is on its way`() async throws {
        let device = try await device(addition("milk", 20))
        try await device.list(list).setShopping(true)
        let news = ChangesPage(
            changes: [written(addition("eggs", 30), at: 3)], token: "2", moreComing: false, snapshot: false)
        service.bring([.init(id: list, page: news)])
        #expect(try await device.sync().failure == nil)
        service.bring([])
        // So there is something unread, however far the mark moves.
        #expect(try await device.list(list).toApply().count == 1)
        let mark = "PUT \(Path.read(list))"
        let arrivals = service.hold(mark)
        let watching = Watching(list, on: device)
        #expect(await arrivals.contains { _ in true })
        watching.type("jkjkjn")
        #expect(await watching.shows("▸ milk"))
        #expect(service.calls.count { $0 == mark } == 1)
        service.release()
        try await watching.quit()
        await device.close()
    }

    @Test func `x on a list that may only be read says so, and changes nothing`() async throws {
        let device = try await device(addition("milk", 20), permission: .readOnly)
        let watching = Watching(list, on: device)
        watching.type("nx")
        #expect(await watching.shows(DeviceError.readOnly.statement))
        try await watching.quit()
        #expect(try await device.queues().waiting == 0)
        #expect(try await device.list(list).state().items.map(\.markedOff) == [false])
        await device.close()
    }

    /// A session on a screen without a terminal.
    private struct Watching {
        private let keys: AsyncStream<Screen.Event>.Continuation
        private let frames: AsyncStream<[String]>
        private let session: Task<Void, any Error>

        init(_ list: ListID, on device: Device) {
            let (events, keys) = AsyncStream.makeStream(of: Screen.Event.self)
            let (frames, drawn) = AsyncStream.makeStream(of: [String].self)
            self.keys = keys
            self.frames = frames
            session = Task {
                defer { drawn.finish() }
                try await WatchSession(device: device, list: list, interval: .seconds(3600))
                    .run(on: Screen(events: events, capture: { drawn.yield($0) }))
            }
        }

        func type(_ text: String) { for key in text { keys.yield(.key(key)) } }

        /// Waits until a text is on the screen.
        /// - Returns: false when the session has ended before.
        func shows(_ text: String) async -> Bool {
            await frames.contains { lines in lines.contains { $0.contains(text) } }
        }

        func quit() async throws {
            type("q")
            try await session.value
        }
    }
}
