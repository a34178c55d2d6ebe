import TrolleyJournal

/// A year of a household of three people, each with a phone, on one list. Equal numbers give equal years.
///
/// In a week one plans and adds most of what is needed, another adds what was forgotten and says how much, and the third
/// goes shopping: marks off what is there, deletes what nobody wants after all. What the shop didn't have stays.
struct ShoppingYear {
    /// One action of one of the three phones.
    enum Step {
        /// Uploads changes that were made since the household last heard of the service.
        case upload(device: Int, entries: [JournalEntry])
        /// Fetches the new changes of all lists.
        case sync(device: Int)
    }

    struct WantedItem: Hashable {
        let id: ItemID
        let text: String
        var quantity: String?
    }

    private var numbers: SeededNumbers
    private var clock = Timestamp(milliseconds: 1_767_225_600_000)
    private var counters: [Int64] = [0, 0, 0]
    /// The wanted items in list order. Each was added after the previous one.
    private(set) var wanted: [WantedItem] = []
    /// The items that the household buys most weeks.
    private let staples: [String]

    init(household: Int) {
        var numbers = SeededNumbers(seed: UInt64(household))
        staples = (0..<12).map { _ in Groceries.all.randomElement(using: &numbers) ?? "milk" }
        self.numbers = numbers
    }

    /// The next week.
    mutating func week() -> [Step] {
        clock = clock.advanced(byMilliseconds: 5 * 86_400_000)
        var steps = [Step.sync(device: 0)]
        var toPlan = staples.filter { _ in Int.random(in: 0..<10, using: &numbers) < 6 }
        toPlan += (0..<Int.random(in: 1...5, using: &numbers)).map { _ in grocery }
        while !toPlan.isEmpty {
            let gesture = toPlan.prefix(Int.random(in: 1...4, using: &numbers))
            toPlan.removeFirst(gesture.count)
            steps.append(.upload(device: 0, entries: gesture.map { add($0, by: 0) }))
        }
        steps += [.sync(device: 1), .upload(device: 1, entries: forgotten())]

        clock = clock.advanced(byMilliseconds: 2 * 86_400_000)
        steps.append(.sync(device: 2))
        var toBuy = wanted.filter { _ in Int.random(in: 0..<10, using: &numbers) < 9 }
        while !toBuy.isEmpty {
            let shelf = toBuy.prefix(Int.random(in: 1...3, using: &numbers))
            toBuy.removeFirst(shelf.count)
            steps.append(.upload(device: 2, entries: shelf.map { finish($0) }))
        }
        return steps + [.sync(device: 2), .sync(device: 0), .sync(device: 1)]
    }

    private var grocery: String {
        mutating get { Groceries.all.randomElement(using: &numbers) ?? "milk" }
    }

    private mutating func forgotten() -> [JournalEntry] {
        var entries = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in add(grocery, by: 1) }
        if let index = wanted.indices.randomElement(using: &numbers) {
            let quantity = String(Int.random(in: 2...6, using: &numbers))
            wanted[index].quantity = quantity
            entries.append(entry(.edit, wanted[index].id, fields: [Fields.quantity: .string(quantity)], by: 1))
        }
        return entries
    }

    private mutating func add(_ text: String, by device: Int) -> JournalEntry {
        let item = WantedItem(id: identifier(), text: text)
        defer { wanted.append(item) }
        return entry(.add, item.id, after: wanted.last?.id, fields: [Fields.text: .string(text)], by: device)
    }

    private mutating func finish(_ item: WantedItem) -> JournalEntry {
        wanted.removeAll { $0.id == item.id }
        return entry(Int.random(in: 0..<20, using: &numbers) == 0 ? .delete : .markOff, item.id, by: 2)
    }

    private mutating func entry(
        _ operation: Operation, _ item: ItemID, after: ItemID? = nil, fields: Fields = [:], by device: Int
    ) -> JournalEntry {
        counters[device] += 1
        clock = clock.advanced(byMilliseconds: Int64.random(in: 1...20_000, using: &numbers))
        return JournalEntry(
            id: identifier(), operation: operation, item: item, after: after, fields: fields,
            deviceSequence: counters[device])
    }

    private mutating func identifier<ID: Identifier>() -> ID {
        .version7(at: clock, random: (numbers.next(), numbers.next()))
    }
}
