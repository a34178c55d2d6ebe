/// The order of a list's items, as a doubly linked list over small numbers. Inserting and removing an item take the
/// same time however long the list is.
struct ItemOrder: Sendable {
    /// An item's number in the fold that owns this order.
    typealias Slot = Int32

    private struct Link: Sendable {
        var previous: Slot
        var next: Slot
    }

    private static let none: Slot = -1
    /// The link of a slot that is not in the list.
    private static let absent: Slot = -2

    private var links: [Link] = []
    private(set) var first = ItemOrder.none
    private(set) var last = ItemOrder.none

    func contains(_ slot: Slot) -> Bool {
        Int(slot) < links.count && links[Int(slot)].next != ItemOrder.absent
    }

    /// The slot directly above; nil at the top. The slot must be in the list.
    func previous(to slot: Slot) -> Slot? {
        WorkCounter.step()
        let previous = links[Int(slot)].previous
        return previous < 0 ? nil : previous
    }

    /// The slot directly below; nil at the bottom. The slot must be in the list.
    func next(after slot: Slot) -> Slot? {
        WorkCounter.step()
        let next = links[Int(slot)].next
        return next < 0 ? nil : next
    }

    var top: Slot? { first < 0 ? nil : first }
    var bottom: Slot? { last < 0 ? nil : last }

    /// Inserts a slot that is not in the list directly below another one; nil: at the top.
    mutating func insert(_ slot: Slot, after anchor: Slot?) {
        while links.count <= Int(slot) { links.append(Link(previous: ItemOrder.absent, next: ItemOrder.absent)) }
        let previous = anchor ?? ItemOrder.none
        let next = previous < 0 ? first : links[Int(previous)].next
        links[Int(slot)] = Link(previous: previous, next: next)
        if previous < 0 { first = slot } else { links[Int(previous)].next = slot }
        if next < 0 { last = slot } else { links[Int(next)].previous = slot }
    }

    /// Removes a slot; does nothing when it is not in the list.
    mutating func remove(_ slot: Slot) {
        guard contains(slot) else { return }
        let link = links[Int(slot)]
        if link.previous < 0 { first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next < 0 { last = link.previous } else { links[Int(link.next)].previous = link.previous }
        links[Int(slot)] = Link(previous: ItemOrder.absent, next: ItemOrder.absent)
    }

    /// The rule of `add` and `move`: directly below the anchor.
    ///
    /// An anchor that is not in the list means the bottom. An item whose anchor is itself stays where it is.
    mutating func place(_ slot: Slot, after anchor: Anchor) {
        switch anchor {
        case .slot(slot) where contains(slot): return
        case .slot(let other) where other != slot && contains(other):
            remove(slot)
            insert(slot, after: other)
        case .top:
            remove(slot)
            insert(slot, after: nil)
        case .slot, .unknown:
            remove(slot)
            insert(slot, after: SeededFault.isSeeded(.unknownAnchorIsTop) ? nil : bottom)
        }
    }

    enum Anchor: Sendable {
        case top
        case slot(Slot)
        case unknown
    }
}
