import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The deliveries that a process is sending.
struct DeliverySlots {
    let settings: PushSettings
    private var sending: [WebhookID: (account: AccountID, failing: Bool)] = [:]

    init(settings: PushSettings) { self.settings = settings }

    /// What a lane can take; nil: nothing.
    func lane(failing: Bool) -> DeliveryLane? {
        let busy = sending.values.filter { $0.failing == failing }
        let free = (failing ? settings.parallelFailing : settings.parallel) - busy.count
        guard free > 0 else { return nil }
        return DeliveryLane(
            failing: failing, free: free, busyAccounts: busy.map(\.account),
            busyTargets: Array(sending.keys))
    }

    mutating func begin(_ target: PushTarget) { sending[target.id] = (target.account, target.failing) }

    mutating func end(_ target: PushTarget) { sending[target.id] = nil }
}
