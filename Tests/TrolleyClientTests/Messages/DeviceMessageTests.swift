import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

@Suite("Messages on a device", .timeLimit(.minutes(20)))
struct DeviceMessageTests {
    private func device() throws -> (Device, TemporaryDirectory) {
        let directory = TemporaryDirectory()
        return (try Device(directory: directory.path), directory)
    }

    @Test("offline, a conversation is shown from the device, with its own messages and reactions")
    func offline() async throws {
        let (device, directory) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        for number in 1...60 { try await list.perform([.message("\(number)")]) }
        let page = try await list.messages()
        #expect(page.map(\.text) == (11...60).map(String.init) && page.allSatisfy { $0.sequence == nil })
        let older = try await list.messages(before: page[0].id)
        #expect(older.map(\.text) == (1...10).map(String.init))
        let last = try #require(page.last?.id)
        try await list.perform([.react(last, "👍"), .pin(last)])
        try await list.perform([.deleteMessage(older[0].id)])
        await device.close()

        // Another program on the same files has the same conversation.
        let again = try Device(directory: directory.path)
        #expect(try await again.list(list.id).countMessages() == 59)
        #expect(try await again.list(list.id).message(last)?.reactions.map(\.isMine) == [true])
        #expect(try await again.list(list.id).pinnedMessages().map(\.id) == [last])
        // There is nothing from others, so there is nothing to mark.
        #expect(try await again.list(list.id).markRead(page) == false)
        await again.close()
    }

    @Test("on the disk nobody reads a message or a reaction")
    func atRest() async throws {
        let (device, directory) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        let message = try await list.perform([.message("the one with the blue lid")])[0].id
        try await list.perform([.react(message, "certainly")])
        var files = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            guard let content = FileManager.default.contents(atPath: "\(directory.path)/\(name)") else { continue }
            files += 1
            for text in ["blue lid", "certainly"] { #expect(content.firstRange(of: Data(text.utf8)) == nil, "\(name)") }
        }
        #expect(files > 1, "the database and its log")
        #expect(try await list.messages().map(\.text) == ["the one with the blue lid"])
        await device.close()
    }

    @Test("undo takes back the last change of the list, not a message after it")
    func undo() async throws {
        let (device, _) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        try await list.perform([.add(device.identifier(), ["text": "milk"], .bottom)])
        try await list.perform([.message("hello")])
        #expect(try await list.undo().map(\.operation) == [.delete])
        #expect(try await list.redo().count == 1)
        try await list.perform([.message("again")])
        #expect(try await list.canUndo() != nil)
        #expect(try await list.messages().map(\.text) == ["hello", "again"])
        await device.close()
    }

    @Test("a message or reaction that no service takes is refused at once")
    func refused() async throws {
        let (device, _) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        let message = try await list.perform([.message("hello")])[0].id
        for edit in [
            ListEdit.message(" "), .message(String(repeating: "x", count: 8 << 10)), .react(message, ""),
            .react(message, String(repeating: "x", count: 65)),
        ] {
            await #expect(throws: DeviceError.self) { try await list.perform([edit]) }
        }
        #expect(try await list.countMessages() == 1)
        await device.close()
    }

    @Test("an unsent message about an item doesn't name the item")
    func itemText() async throws {
        let (device, _) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        let item: ItemID = device.identifier()
        try await list.perform([.add(item, ["text": "milk"], .bottom)])
        try await list.perform([.message("the blue one", about: item)])
        try await list.perform([.markOff(item)])
        let changes = try await list.pendingChanges(item: item)
        #expect(changes.map(\.entry.operation) == [.markOff, .message, .add])
        #expect(changes.map(\.itemText) == ["milk", "milk", "milk"])
        await device.close()
    }

    @Test("Markdown, CSV and JSON of a list have its items and no messages")
    func documents() async throws {
        let (device, _) = try device()
        let list = try await device.makeList(named: "Weekly shop")
        let item: ItemID = device.identifier()
        try await list.perform([.add(item, ["text": "milk"], .bottom)])
        try await list.perform([.message("the blue one", about: item)])
        let document = try await list.document()
        for form in DocumentForm.allCases {
            let text = document.text(as: form)
            #expect(text.contains("milk") && !text.contains("blue"), "\(form)")
        }
        await device.close()
    }
}

/// The engine, with a real store and a service in memory.
@Suite("Messages between devices", .timeLimit(.minutes(20)))
struct MessageSyncTests {
    private let service = ScriptedService()

    private func upload(
        _ entries: [JournalEntry], to list: ListID, from phone: SyncTests.Phone
    ) async throws {
        _ = try await phone.store.append(entries, to: list, made: phone.clock.now)
        #expect(await phone.engine.run(.ownChange).failure == nil)
    }

    @Test(
        "a device of an earlier version keeps an operation that it doesn't know, shows the rest, and neither refetches nor complains"
    )
    func unknownOperation() async throws {
        let list: ListID = Samples.id()
        let (later, earlier) = (try SyncTests.Phone(service), try SyncTests.Phone(service))
        try await later.store.addList(list)
        let milk = Samples.add("milk")
        let poll = JournalEntry(
            id: Samples.id(), unknownOperation: OperationName("poll")!, item: milk.item,
            fields: ["text": "which milk?", "options": .json(#"["oat","soy"]"#)], deviceSequence: 1)
        try await upload([milk, poll, Samples.add("bread", after: milk.item)], to: list, from: later)
        #expect(await earlier.engine.run(.launch).outcome == .newData)
        // Shows the rest.
        #expect(try await earlier.texts(of: list) == ["milk", "bread"])
        #expect(try await earlier.state(of: list).digest == later.state(of: list).digest)
        // Keeps it, with everything that it says.
        let kept = try await earlier.store.journal(of: list).confirmed.first { $0.entry.id == poll.id }
        #expect(kept?.entry.operationName == "poll" && kept?.entry.fields == poll.fields)
        #expect(kept?.entry.item == milk.item)
        // Doesn't refetch: the next fetch goes on from the token. Doesn't complain.
        let again = await earlier.engine.run(.manual)
        #expect(again.outcome == .noData && again.failure == nil && again.rejected == 0)
        #expect(service.fetches.last?.tokens[list] != nil)
        #expect(try await earlier.store.rejected().isEmpty)
    }

    @Test("messages come with a list's changes, show at once while shopping, and only new ones are fetched")
    func fetching() async throws {
        let list: ListID = Samples.id()
        let (anna, ben) = (try SyncTests.Phone(service), try SyncTests.Phone(service))
        try await anna.store.addList(list)
        try await upload([Samples.add("milk")], to: list, from: anna)
        #expect(await ben.engine.run(.launch).outcome == .newData)
        try await ben.store.setShopping(true, in: [list])
        let message = JournalEntry(
            id: Samples.id(), operation: .message, fields: ["text": "anything else?"], deviceSequence: 1)
        try await upload([Samples.add("bread"), message], to: list, from: anna)
        #expect(await ben.engine.run(.push).outcome == .newData)
        #expect(try await ben.texts(of: list) == ["milk"])
        #expect(
            try await ben.store.read { try $0.conversation(of: $0.list(list)) }.messages().map(\.text) == [
                "anything else?"
            ])
        // The fetch after a reconnect names the place where the last one ended.
        #expect(service.fetches.last?.tokens[list] != nil)
        #expect(await ben.engine.run(.push).outcome == .noData)
    }

    @Test("a deleted message leaves the other device, also when compression has removed it meanwhile")
    func deleting() async throws {
        let list: ListID = Samples.id()
        let (anna, ben) = (try SyncTests.Phone(service), try SyncTests.Phone(service))
        try await anna.store.addList(list)
        let message = JournalEntry(id: Samples.id(), operation: .message, fields: ["text": "oops"], deviceSequence: 1)
        try await upload([Samples.add("milk"), message], to: list, from: anna)
        #expect(await ben.engine.run(.launch).outcome == .newData)
        #expect(try await ben.store.read { try $0.conversation(of: $0.list(list)) }.count == 1)
        let deletion = JournalEntry(
            id: Samples.id(), operation: .deleteMessage, fields: ["message": .string(message.id.description)],
            deviceSequence: 1)
        try await upload([deletion], to: list, from: anna)
        service.compress(list)
        #expect(await ben.engine.run(.push).failure == nil)
        #expect(try await ben.store.read { try $0.conversation(of: $0.list(list)) }.isEmpty)
        #expect(try await ben.texts(of: list) == ["milk"])
    }
}
