public import TrolleyJournal

/// The journal of a household: four devices, a list of some dozens of open items, each added, often edited or moved,
/// then marked off. The same seed gives the same journal.
public struct Household {
    private var random: UInt64
    private var wanted: [ItemID] = []
    private var clock = Timestamp(milliseconds: 1_700_000_000_000)
    private var count: Int64 = 0
    private let openItems: Int
    private var counters: [Int64] = [0, 0, 0, 0]
    private let devices: [DeviceID]
    private let account: AccountID

    /// - Parameter openItems: about how many items are wanted at any time.
    public init(seed: UInt64 = 1, openItems: Int = 60) {
        random = seed
        self.openItems = openItems
        account = AccountID(UUIDBits(high: 1, low: 1))
        devices = (0..<4).map { DeviceID(UUIDBits(high: 2, low: $0)) }
    }

    public static func journal(of count: Int, openItems: Int = 60) -> [ConfirmedEntry] {
        var household = Household(openItems: openItems)
        return (0..<count).map { _ in household.next() }
    }

    /// The latest moment.
    public var now: Timestamp { clock }

    /// The next entry.
    public mutating func next() -> ConfirmedEntry {
        clock = clock.advanced(byMilliseconds: Int64(below(120_000)))
        count += 1
        let device = Int(below(4))
        counters[device] += 1
        return ConfirmedEntry(
            entry: change(counter: counters[device]), sequence: SequenceNumber(rawValue: count), author: account,
            device: devices[device], madeAt: clock.advanced(byMilliseconds: -Int64(below(8) == 0 ? below(600_000) : 0)),
            receivedAt: clock)
    }

    private mutating func change(counter: Int64) -> JournalEntry {
        var entry = JournalEntry(id: identifier(), operation: .add, deviceSequence: counter)
        let choice = below(100)
        if wanted.isEmpty || wanted.count < openItems && choice < 55 || choice < 40 {
            let item: ItemID = identifier()
            entry.item = item
            entry.after = below(4) == 0 ? nil : wanted.isEmpty ? nil : wanted[Int(below(UInt64(wanted.count)))]
            entry.fields[Fields.text] = .string(Household.groceries[Int(below(UInt64(Household.groceries.count)))])
            wanted.append(item)
            return entry
        }
        let index = Int(below(UInt64(wanted.count)))
        entry.item = wanted[index]
        switch choice {
        case ..<50:
            entry.operation = .edit
            entry.fields[below(2) == 0 ? Fields.quantity : Fields.note] = .string(String(below(12)))
        case ..<60:
            entry.operation = .move
            entry.after = wanted[Int(below(UInt64(wanted.count)))]
        case 99:
            entry.operation = .renameList
            entry.item = nil
            entry.fields[Fields.text] = "Weekly shop"
        default:
            entry.operation = choice < 66 ? .delete : .markOff
            wanted.swapAt(index, wanted.count - 1)
            wanted.removeLast()
        }
        return entry
    }

    private mutating func identifier<ID: Identifier>() -> ID { .version7(at: clock, random: (bits(), bits())) }

    private mutating func below(_ bound: UInt64) -> UInt64 { bits() % max(bound, 1) }

    /// SplitMix64.
    private mutating func bits() -> UInt64 {
        random &+= 0x9E37_79B9_7F4A_7C15
        var bits = random
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    private static let groceries = [
        "milk", "eggs", "bread", "butter", "tea", "rice", "semi-skimmed milk", "wholemeal bread", "washing-up liquid",
        "apples", "bananas", "carrots", "potatoes", "cheddar", "chicken", "toothpaste", "kitchen roll", "olive oil",
    ]
}
