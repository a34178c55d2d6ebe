import FoundationEssentials
import TrolleyAssistant
import TrolleyJournal

/// A list's journal, made in the test: an entry each second, by one of two devices.
struct Journal {
    static let own = DeviceID(UUIDBits(high: 1, low: 1))
    static let others = DeviceID(UUIDBits(high: 1, low: 2))
    static let ann = AccountID(UUIDBits(high: 2, low: 1))
    static let ben = AccountID(UUIDBits(high: 2, low: 2))
    static let list = ListID(UUIDBits(high: 3, low: 1))

    private(set) var entries: [ConfirmedEntry] = []
    private var items: [String: ItemID] = [:]
    /// When the next entry is made and received.
    var now = Timestamp(milliseconds: 1_700_000_000_000)

    /// The item that was first added with this text; a new one for a text that is new.
    mutating func item(_ text: String) -> ItemID {
        if let known = items[text] { return known }
        let made = ItemID(UUIDBits(high: 4, low: UInt64(items.count + 1)))
        items[text] = made
        return made
    }

    /// Appends entries as one gesture.
    mutating func append(_ drafts: [EntryDraft], by device: DeviceID = Journal.others) {
        let batch = drafts.count > 1 ? BatchID(UUIDBits(high: 5, low: UInt64(entries.count + 1))) : nil
        for draft in drafts {
            let number = UInt64(entries.count + 1)
            let entry = draft.entry(
                id: EntryID(UUIDBits(high: 6, low: number)), batch: batch, deviceSequence: Int64(number))
            entries.append(
                ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(number)),
                    author: device == Self.own ? Self.ann : Self.ben, device: device, madeAt: now, receivedAt: now))
            now = now.advanced(byMilliseconds: 1000)
        }
    }

    mutating func add(_ text: String, _ fields: Fields = [:], by device: DeviceID = Journal.others) {
        var fields = fields
        fields[Fields.text] = .string(text)
        append([EntryDraft(.add, item: item(text), after: lastItem, fields: fields)], by: device)
    }

    mutating func change(
        _ operation: Operation, _ text: String, _ fields: Fields = [:], by device: DeviceID = Journal.others
    ) {
        append([EntryDraft(operation, item: item(text), fields: fields)], by: device)
    }

    private var lastItem: ItemID? { state.items.last?.id }

    var fold: ListFold { ListFold(folding: entries) }
    var state: ListState { fold.state }
    var assistantList: AssistantList { AssistantList(Self.list, fold) }
    var purchases: PurchaseHistory { PurchaseHistory(entries) }

    /// The items as a person sees them: '[x] milk, 2 l @Dairy'.
    var shown: [String] {
        state.items.map { item in
            let quantity = item.fields[Fields.quantity]?.string.map { ", \($0)" } ?? ""
            let aisle = item.fields[Fields.aisle]?.string.map { " @\($0)" } ?? ""
            return (item.markedOff ? "[x] " : "") + item.text + quantity + aisle
        }
    }
}

extension AssistantTool {
    /// The arguments of a call of the tool.
    static func given(_ name: Name, _ given: [String: [String]]) throws -> AssistantArguments {
        guard let tool = all.first(where: { $0.name == name }) else { throw CancellationError() }
        return try tool.arguments(given)
    }
}

/// The members of a tool's answer that the tests look at.
struct ToolAnswer: Decodable {
    struct Item: Decodable {
        let text: String
        let markedOff: Bool
        let position: Int?
        let fields: [String: String?]
    }

    struct Aisle: Decodable { let aisle, reason: String }

    struct Entry: Decodable {
        let operation: String
        let cause: String?
    }

    struct Skipped: Decodable {
        let what: String
        let author: String?
    }

    let items: [Item]?
    let back: [String]?
    let present: [String]?
    let aisles: [Aisle]?
    let entries: [Entry]?
    let skipped: [Skipped]?
    let change, undone: EntryID?
    let waiting: Int?

    init(_ document: String) throws {
        self = try JSONDecoder().decode(ToolAnswer.self, from: Data(document.utf8))
    }
}

func decode<Value: Decodable>(_ type: Value.Type, _ document: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(document.utf8))
}
