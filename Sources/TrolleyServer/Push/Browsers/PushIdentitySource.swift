import Crypto
import Synchronization
import TrolleyStore

/// The service's identity for push services: read when it is first needed, since the database may be read-only when the
/// service starts, and made if no process has.
final class PushIdentitySource: Sendable {
    private let store: Store
    private let known = Mutex<PushIdentity?>(nil)

    init(store: Store) { self.store = store }

    func identity() async throws(StoreError) -> PushIdentity {
        if let identity = known.withLock(\.self) { return identity }
        let candidate = P256.Signing.PrivateKey()
        let bytes = try await store.pushKey(otherwise: Array(candidate.rawRepresentation))
        // The bytes are of a key that a process made.
        let identity = PushIdentity(key: (try? P256.Signing.PrivateKey(rawRepresentation: bytes)) ?? candidate)
        known.withLock { $0 = identity }
        return identity
    }
}
