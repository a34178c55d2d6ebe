import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Whose share of the memory for bodies a request takes: an account's, or, before anybody has signed in, its address's.
enum BodyOwner: Hashable, Sendable {
    case account(AccountID)
    case address(IPAddress)
    /// Came over a Unix socket.
    case local

    init(_ context: TrolleyContext) {
        if let session = context.signedIn {
            self = .account(session.account)
        } else {
            self = context.client.map { BodyOwner.address($0.counted) } ?? .local
        }
    }
}

typealias BodyBudget = ByteBudget<BodyOwner>

extension BodyBudget {
    /// Bodies that no form exceeds: they are let in while larger ones are refused.
    static var form: Int { 16 << 10 }

    /// - Parameter bytes: what the bodies of all requests may take at the same time. Each owner has a quarter.
    convenience init(bytes: Int) { self.init(total: bytes, share: bytes / 4, small: Self.form) }
}
