public import TrolleyJournal
import TrolleyWire

extension RoomView {
    /// What the others' tentative changes make of one item.
    public struct TentativeItem: Hashable, Sendable {
        public var item: ItemID
        /// The account that made the latest change.
        public var account: AccountID
        /// The latest of the changes.
        public var operation: Operation
        /// Whether the item isn't on the list yet.
        public var isAdded = false
        public var isDeleted = false
        /// nil: as the list says.
        public var markedOff: Bool?
        /// nil: as the list says.
        public var text: String?
    }

    /// The items with tentative changes, in the order of their first change. An item that was added and deleted again is
    /// left out.
    public var tentativeItems: [TentativeItem] {
        var items: [TentativeItem] = []
        for tentative in tentative {
            let change = tentative.change
            let index = items.firstIndex { $0.item == change.item } ?? items.count
            if index == items.count {
                items.append(
                    TentativeItem(item: change.item, account: tentative.member.account, operation: change.operation))
            }
            items[index].account = tentative.member.account
            items[index].note(change)
        }
        return items.filter { !($0.isAdded && $0.isDeleted) }
    }
}

extension RoomView.TentativeItem {
    fileprivate mutating func note(_ change: TentativeChange) {
        operation = change.operation
        if let text = change.text { self.text = text }
        switch change.operation {
        case .add: isAdded = true
        case .markOff: markedOff = true
        case .unmark: (markedOff, isDeleted) = (false, false)
        case .delete: isDeleted = true
        default: break
        }
    }
}
