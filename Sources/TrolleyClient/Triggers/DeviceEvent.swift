public import TrolleyJournal
public import TrolleySync

/// Something that a device which stays open should act on.
public enum DeviceEvent: Hashable, Sendable {
    /// It is time to sync, and why: call ``Device/sync(_:within:)`` with the trigger.
    case sync(Trigger)
    /// It may have changed who has the list open: call ``ShoppingList/announcePresence()`` or ``RoomSession/refresh()`` if the
    /// person has it open.
    case presence(ListID)
    /// There is a new summary: call ``DeviceNotifications/summaries()``.
    case summary
}

/// The events that wait for their reader. Several of a kind become one, and none is lost.
struct DeviceEventQueue {
    private var triggers = TriggerQueue()
    private var presence: [ListID] = []
    private var hasSummary = false

    mutating func add(_ event: DeviceEvent) {
        switch event {
        case .sync(let trigger): triggers.add(trigger)
        case .presence(let list): if !presence.contains(list) { presence.append(list) }
        case .summary: hasSummary = true
        }
    }

    mutating func take() -> DeviceEvent? {
        if let trigger = triggers.take() { return .sync(trigger) }
        if !presence.isEmpty { return .presence(presence.removeFirst()) }
        if hasSummary {
            hasSummary = false
            return .summary
        }
        return nil
    }
}
