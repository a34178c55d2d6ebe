import Testing
import TrolleyJournal

@Suite("Messages", .timeLimit(.minutes(20)))
struct ConversationTests {
    private func said(_ number: Int, _ text: String = "hello", by person: Int = 1) -> ConfirmedEntry {
        .sample(number, .message, nil, [Fields.text: .string(text)], device: person)
    }

    private func about(
        _ message: Int, _ operation: TrolleyJournal.Operation, _ number: Int, _ text: String? = nil, by person: Int = 1
    ) -> ConfirmedEntry {
        var fields: Fields = [Fields.message: .string(EntryID.sample(message).description)]
        if let text { fields[Fields.text] = .string(text) }
        return .sample(number, operation, nil, fields, device: person)
    }

    @Test("scrolling back pages from the newest message to the oldest, without deleted ones")
    func paging() {
        let conversation = Conversation(folding: (1...7).map { said($0, "\($0)") } + [about(3, .deleteMessage, 8)])
        #expect(conversation.count == 6)
        let first = conversation.messages(limit: 3)
        #expect(first.map(\.text) == ["5", "6", "7"])
        let second = conversation.messages(limit: 3, before: first[0].id)
        #expect(second.map(\.text) == ["1", "2", "4"])
        #expect(conversation.messages(limit: 3, before: second[0].id).isEmpty)
        #expect(conversation.messages(before: .sample(99)).isEmpty)
        #expect(conversation.message(.sample(3)) == nil)
    }

    @Test("a device's own unconfirmed messages and reactions come on top, and are its person's")
    func unconfirmed() {
        var fold = ListFold(folding: [said(1, by: 2), about(1, .react, 2, "👍", by: 1)])
        let mine = said(3, "mine").entry
        fold.append(PendingEntry(entry: mine, madeAt: .seconds(9)))
        fold.append(PendingEntry(entry: about(1, .unreact, 4, "👍").entry, madeAt: .seconds(9)))
        fold.append(PendingEntry(entry: about(1, .react, 5, "🎉").entry, madeAt: .seconds(9)))
        let shown = fold.conversation.messages(for: .sample(1))
        #expect(shown.map(\.text) == ["hello", "mine"])
        #expect(shown[1].sequence == nil && shown[1].author == .sample(1))
        #expect(shown[0].reactions == [.init(text: "🎉", accounts: [.sample(1)], isMine: true)])
        // Without an account, too, the person's own reaction is theirs.
        #expect(fold.conversation.messages()[0].reactions.last == .init(text: "🎉", accounts: [], isMine: true))
        // Messages don't change the list.
        #expect(fold.state == ListState())
    }

    @Test("undo and redo pass messages by")
    func undo() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, [Fields.text: "milk"]), said(2), about(2, .react, 3, "👍"), about(2, .pin, 4),
        ]
        let log = UndoLog(of: .sample(1), replaying: entries)
        #expect(log.records.map(\.entry.operation) == [.add])
        #expect(log.planUndo(over: ListFold(folding: entries)).map(\.operation) == [.delete])
    }

    @Test("a replay and putting a list back pass messages by")
    func replay() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, [Fields.text: "milk"]), said(2), .sample(3, .markOff, 1), about(2, .deleteMessage, 4),
        ]
        var timeline = Timeline(entries)
        #expect(timeline.state(through: SequenceNumber(rawValue: 2)).items.map(\.markedOff) == [false])
        #expect(timeline.restoration(through: SequenceNumber(rawValue: 2)).drafts.map(\.operation) == [.unmark])
    }

    @Test("a message about an item neither keeps the item nor brings it back")
    func items() {
        var message = said(3)
        message.entry.item = .sample(1)
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, [Fields.text: "milk"]), .sample(2, .delete, 1), message,
        ]
        #expect(ListState(folding: entries).items.isEmpty)
        let compression = Compression(of: entries, olderThan: .seconds(100))
        #expect(compression.discarded.map(\.id) == [.sample(1), .sample(2)])
        #expect(!AppendResolver.isNeeded(for: message.entry) { _ in true })
        #expect(Conversation(folding: compression.applied(to: entries)).messages().map(\.item) == [.sample(1)])
    }

    @Test("a deleted message and all about it go in one step of a compression, even if the deletion came first")
    func steps() {
        let entries = [about(2, .deleteMessage, 1), said(2), about(2, .react, 3, "👍"), about(2, .pin, 4)]
        let compression = Compression(of: entries, olderThan: .seconds(100))
        #expect(compression.discarded.map(\.why) == Array(repeating: .messageDeleted, count: 4))
        #expect(compression.steps(of: 1, in: entries).map(\.discarded.count) == [4])
    }

    @Test("a recent entry that has no effect keeps no deleted message")
    func recentFault() {
        let entries = [said(1), about(1, .deleteMessage, 2), about(1, .react, 30)]
        let compression = Compression(of: entries, olderThan: .seconds(20))
        #expect(compression.discarded.map(\.id) == [.sample(1), .sample(2)])
        let liked = Array(entries.prefix(2)) + [about(1, .react, 30, "👍")]
        #expect(Compression(of: liked, olderThan: .seconds(20)).isEmpty)
    }

    @Test("what came about a removed message goes; what is about a message that may still come stays")
    func late() {
        let entries = [
            about(1, .react, 5, "👍"), about(1, .pin, 6), about(2, .react, 7, "👍"), said(8), about(8, .pin, 9),
        ]
        #expect(Compression.missingMessages(in: entries) == [.sample(1), .sample(2)])
        let compression = Compression(of: entries, olderThan: .seconds(100), removed: [.sample(1)])
        #expect(compression.discarded.map(\.id) == [.sample(5), .sample(6)])
        #expect(compression.discarded.map(\.why) == [.messageDeleted, .messageDeleted])
        #expect(Compression(of: entries, olderThan: .seconds(100)).isEmpty)
        #expect(Compression(of: entries, olderThan: .seconds(0), removed: [.sample(1)]).isEmpty, "not yet old")
    }

    @Test("only what writes an item's fields names the item, not a message about it")
    func itemText() {
        var texts = ItemTexts()
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, [Fields.text: "milk"]), .sample(2, .message, 1, [Fields.text: "the blue one"]),
            .sample(3, .unknown, 1, [Fields.text: "bread"]), .sample(4, .edit, 1, [Fields.text: "Milk"]),
        ]
        #expect(entries.map { texts.take($0) } == ["milk", "milk", "milk", "Milk"])
    }

    @Test("an unknown operation is kept and changes nothing")
    func unknown() {
        let entries: [ConfirmedEntry] = [
            .sample(1, .add, 1, [Fields.text: "milk"]), .sample(2, .unknown, 1, [Fields.text: "bread"]),
            .sample(3, .delete, 1),
        ]
        #expect(ListState(folding: Array(entries.prefix(2))).items.map(\.text) == ["milk"])
        let compression = Compression(of: entries, olderThan: .seconds(100))
        #expect(compression.applied(to: entries).map(\.entry.operation) == [.unknown])
        #expect(UndoLog(of: .sample(1), replaying: entries).records.count == 2)
    }
}
