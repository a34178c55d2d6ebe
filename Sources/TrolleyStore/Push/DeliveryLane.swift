package import TrolleyJournal
package import TrolleyWire

/// A part of the deliveries that are sent at the same time. Targets that failed last have a lane of their own, so that
/// endpoints that hang hold only its places.
package struct DeliveryLane: Sendable {
    /// Whether it is for targets whose last attempt failed.
    package var failing: Bool
    /// Free places.
    package var free: Int
    /// The account of each delivery on its way in this lane: an account with several is here several times.
    package var busyAccounts: [AccountID]
    /// Targets with a delivery on its way, in any lane.
    package var busyTargets: [WebhookID]

    package init(failing: Bool, free: Int, busyAccounts: [AccountID] = [], busyTargets: [WebhookID] = []) {
        self.failing = failing
        self.free = free
        self.busyAccounts = busyAccounts
        self.busyTargets = busyTargets
    }

    /// The accounts that have all places that an account may have.
    var fullAccounts: [AccountID] {
        Dictionary(grouping: busyAccounts, by: \.self).filter { $0.value.count >= PushLimits.parallelPerAccount }
            .map(\.key)
    }
}
