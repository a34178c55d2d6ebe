import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The owner of a share of the memory for bodies: the account, or, without a session, the address.
enum BodyOwner: Hashable, Sendable {
    case account(AccountID)
    case address(IPAddress)
    /// The request came over a Unix socket.
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
    /// The maximum size of a small form. Small forms are accepted while larger bodies are refused.
    static var form: Int { 16 << 10 }

    /// - Parameter bytes: the maximum for the bodies of all requests at the same time. Each owner may use a quarter.
    convenience init(bytes: Int) { self.init(total: bytes, share: bytes / 4, small: Self.form) }
}
