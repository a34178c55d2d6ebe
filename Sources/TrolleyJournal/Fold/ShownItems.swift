/// The items that a list shows, in order. Each is computed when it is read, so that a long list needs no second copy in
/// memory.
public struct ShownItems: Swift.Sequence, IteratorProtocol, Sendable {
    private let list: FoldedList
    private var position: ItemOrder.Slot?

    init(_ list: FoldedList) {
        self.list = list
        position = list.order.top
    }

    public mutating func next() -> Item? {
        while let slot = position {
            position = list.order.next(after: slot)
            let item = list[slot]
            if item.isShown { return Item(id: item.id, markedOff: item.isMarkedOff, fields: item.shownFields) }
        }
        return nil
    }
}

extension ListFold {
    /// The items of `state`.
    public var items: ShownItems { ShownItems(list) }

    /// An item of `state`; nil: the list doesn't show it.
    package func item(_ id: ItemID) -> Item? {
        guard let item = list.item(id), item.isShown else { return nil }
        return Item(id: id, markedOff: item.isMarkedOff, fields: item.shownFields)
    }

    /// The number of items in the fold, shown or not, without those of unconfirmed entries.
    public var itemCount: Int { confirmed.items.count }

    /// The colour of `state`.
    public var colour: String? { list.text(Fields.colour) }

    /// The order of the aisles of `state`.
    public var aisles: [String] { list.aisles }

    /// The shops of `state`.
    public var shops: [Shop] { list.shops }

    /// The digest of `state`.
    public var digest: StateDigest {
        let items = ShownItems(list)
        return StateDigest(
            name: name, colour: colour, count: items.reduce(0) { $1.markedOff ? $0 : $0 + 1 },
            wanted: items.lazy.filter { !$0.markedOff })
    }
}
