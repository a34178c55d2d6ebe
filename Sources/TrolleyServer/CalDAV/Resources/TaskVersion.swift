import Crypto
import TrolleyJournal
import TrolleyStore

/// Which state of an item a task is (`X-TROLLEY-VERSION`, decision 3212). Clients that keep unknown properties send it
/// back, so it tells which copy they have changed.
struct TaskVersion: Hashable, Sendable {
    let version: ItemVersion
    /// The item's number in the list's order.
    let order: Int64

    init(_ version: ItemVersion, order: Int64) {
        self.version = version
        self.order = order
    }

    init(_ item: CalendarItem, in head: CalendarHead) {
        self.init(item.version(in: head.epoch), order: item.order)
    }

    /// - Returns: nil if the text isn't about this item: clients copy tasks, with all properties.
    init?(_ text: String, of item: ItemID, in list: ListID) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let version = ItemVersion(parts[0]), let order = Int64(parts[1]) else { return nil }
        self.init(version, order: order)
        guard self.text(of: item, in: list) == text else { return nil }
    }

    /// Ends with a check of the item and the list. It is no secret: a forged version harms only the forger's own edit.
    func text(of item: ItemID, in list: ListID) -> String {
        let content = "\(version.text)/\(order)"
        let hash = SHA256.hash(data: list.bits.bytes + item.bits.bytes + Array(content.utf8))
        let check = hash.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        return "\(content)/\(String(check, radix: 16))"
    }
}
