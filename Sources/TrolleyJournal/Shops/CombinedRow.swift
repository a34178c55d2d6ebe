/// A row of several lists that are shopped at the same time: what they all call by one text. Marking it off marks off each part.
public struct CombinedRow: Hashable, Sendable {
    /// An item, and the list that it is on.
    public struct Part: Hashable, Sendable {
        public var list: ListID
        public var item: Item

        public init(list: ListID, item: Item) {
            self.list = list
            self.item = item
        }
    }

    public let first: Part
    /// In the order of the lists. All parts are wanted, or all are marked off; of these, each list has one.
    package var others: [Part] = []
    /// Whether it is bought in another shop than the one where the person is. Such rows come last.
    public let isElsewhere: Bool

    package init(_ first: Part, isElsewhere: Bool = false) {
        self.first = first
        self.isElsewhere = isElsewhere
    }

    public var parts: [Part] { [first] + others }

    fileprivate var last: Part { others.last ?? first }

    /// The text of the first part.
    public var text: String { first.item.text }

    public var isMarkedOff: Bool { first.item.markedOff }

    /// The aisle of the first part that has one.
    public var aisle: String? {
        for part in parts { if let aisle = ShownRow(item: part.item).aisle { return aisle } }
        return nil
    }
}

/// A list that is shopped together with others.
public struct CombinedPart: Sendable {
    public var list: ListID
    /// In list order.
    public var rows: [ShownRow]
    /// The order of the aisles where the person is shopping; see `[Shop].aisles(at:of:)`.
    public var aisles: [String]
    public var learned: LearnedOrder

    public init(list: ListID, rows: [ShownRow], aisles: [String], learned: LearnedOrder) {
        self.list = list
        self.rows = rows
        self.aisles = aisles
        self.learned = learned
    }
}

extension [CombinedPart] {
    /// The rows of all lists, grouped by aisle and in the learned order, as those of one list are. Where lists differ, the first
    /// one decides. Struck rows are left out.
    public var combinedRows: [CombinedRow] { rows(elsewhere: false) + rows(elsewhere: true) }

    package func rows(elsewhere: Bool) -> [CombinedRow] {
        var rows: [CombinedRow] = []
        var (wanted, done): ([ItemKey: Int], [ItemKey: Int]) = ([:], [:])
        for part in self {
            for row in part.rows where !row.isStruck && row.isElsewhere == elsewhere {
                let text = row.item.text.itemKey
                let item = CombinedRow.Part(list: part.list, item: row.item)
                let isMarkedOff = row.item.markedOff
                // What was bought twice is not wanted twice again.
                if let place = isMarkedOff ? done[text] : wanted[text],
                    !isMarkedOff || rows[place].last.list != part.list
                {
                    rows[place].others.append(item)
                    continue
                }
                if isMarkedOff { done[text] = rows.count } else { wanted[text] = rows.count }
                rows.append(CombinedRow(item, isElsewhere: elsewhere))
            }
        }
        // Each row stands for its place here.
        let shown = rows.indices.map { index in
            var fields: Fields = [Fields.text: .string(rows[index].text)]
            fields[Fields.aisle] = rows[index].aisle.map { .string($0) }
            return ShownRow(item: Item(id: ItemID(UUIDBits(high: 0, low: UInt64(index))), fields: fields))
        }
        var order: [String] = []
        var learned: [ItemKey: LearnedOrder.Place] = [:]
        for part in self {
            order += part.aisles
            for (key, place) in part.learned.places where learned[key] == nil { learned[key] = place }
        }
        return shown.byAisle(order, learned: LearnedOrder(places: learned)).map { rows[Int($0.id.bits.low)] }
    }
}
