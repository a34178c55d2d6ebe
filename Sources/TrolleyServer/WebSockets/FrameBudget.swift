import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Limits how fast devices and accounts send frames, on all their sockets together. It outlives the sockets, so a client
/// that connects again has no more.
final class FrameBudget: Sendable {
    private struct Buckets {
        var devices: TokenBuckets<DeviceID>
        var accounts: TokenBuckets<AccountID>
    }

    /// Unused frames are saved up for this time.
    private static let seconds = 2

    private let buckets: Mutex<Buckets>

    init(_ limits: RoomLimits) {
        func buckets<Key>(_ perSecond: Int) -> TokenBuckets<Key> {
            TokenBuckets(perSecond * Self.seconds, per: .seconds(Self.seconds))
        }
        self.buckets = Mutex(
            Buckets(
                devices: buckets(limits.messagesPerSecond), accounts: buckets(limits.messagesPerSecondByAccount)))
    }

    /// - Returns: whether the frame is within both limits.
    func take(by session: Session, at now: ContinuousClock.Instant) -> Bool {
        buckets.withLock { buckets in
            buckets.devices.take(session.device, at: now) == .granted
                && buckets.accounts.take(session.account, at: now) == .granted
        }
    }
}
