public import TrolleyJournal

/// Decides what a tap on an item means: marking it off, or wanting it again.
///
/// Two people may stand in front of one shelf. When the other's mark arrives while the finger is on its way, the person has not
/// seen it yet. So for one second after somebody else's mark has arrived, a tap marks the item off once more: the list shows
/// the same, and ``ShoppingList/doubleBuys()`` finds the double buy on both devices. A second tap is meant, and wants the item
/// again.
public struct ItemTaps: Sendable {
    /// How long a person may not have seen yet that somebody else's mark has arrived.
    public static let moment = Duration.seconds(1)

    /// Whether each item was marked off when it was shown last, or has been tapped since.
    private var shown: [ItemID: Bool] = [:]
    /// When others' marks arrived.
    private var arrived: [ItemID: ContinuousClock.Instant] = [:]
    /// The items that the person has marked off and that are not shown so yet.
    private var own: Set<ItemID> = []

    public init() {}

    /// Takes what the list shows now. A mark that no tap has made is somebody else's.
    ///
    /// ```swift
    /// var taps = ItemTaps()
    /// for try await update in list.rows { taps.show(update.state.items) }
    /// ```
    public mutating func show(_ items: [Item], at now: ContinuousClock.Instant = .now) {
        for item in items where item.markedOff {
            let isOwn = own.remove(item.id) != nil
            if !isOwn, shown[item.id] == false { arrived[item.id] = now }
        }
        shown = Dictionary(items.map { ($0.id, $0.markedOff) }, uniquingKeysWith: { $1 })
        arrived = arrived.filter { shown[$0.key] == true && now < $0.value + Self.moment }
    }

    /// The change that a tap on an item makes.
    ///
    /// ```swift
    /// var taps = ItemTaps()
    /// try await list.perform([taps.tap(milk.id)])
    /// ```
    public mutating func tap(_ item: ItemID, at now: ContinuousClock.Instant = .now) -> ListEdit {
        let hasJustArrived = arrived.removeValue(forKey: item).map { now < $0 + Self.moment } ?? false
        if shown[item] != true {
            shown[item] = true
            own.insert(item)
            return .markOff(item)
        }
        if hasJustArrived { return .markOff(item) }
        shown[item] = false
        // Perhaps the list never shows the mark that this takes back; then the next mark isn't the person's.
        own.remove(item)
        return .unmark(item)
    }
}
