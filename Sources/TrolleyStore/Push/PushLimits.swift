/// Limits on what accounts store for push and webhooks.
package enum PushLimits {
    package static let webhooksPerAccount = 10
    package static let subscriptionsPerAccount = 100
    /// Registrations of one personal token's program, one for a list.
    package static let registrationsPerDevice = 200
    package static let registrationsPerAccount = 1000
    /// Deliveries of one browser or webhook, dead letters included. Beyond it the oldest are deleted.
    package static let deliveriesPerTarget = 100
    /// Deliveries to one account's targets that a process sends at the same time.
    package static let parallelPerAccount = 4
    /// Deliveries that are examined for one claim: more than the targets of one account.
    package static let examined = 500
    /// Seconds for which a process has a claimed delivery to itself: longer than an attempt takes.
    package static let lease = 60
}
