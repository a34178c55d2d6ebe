import NIOCore
import TrolleyStore

/// Bounds the bytes of answers that were written and have not left the process, over all connections. Under HTTP/2 a client
/// may ask on a hundred streams, and take nothing.
struct UnsentAnswers: Sendable {
    /// By address; nil: the connection is a trusted proxy's, or came over a Unix socket.
    typealias Budget = ByteBudget<IPAddress?>

    /// Writes of fewer bytes are not counted: heads, hints and small answers.
    static let uncounted = 1 << 10

    private let budget: Budget
    private let proxies: [IPNetwork]

    /// - Parameters:
    ///   - bytes: of all connections together. Each address has half of what the others leave.
    ///   - proxies: whose connections are many people's.
    init(bytes: Int, proxies: [IPNetwork]) {
        budget = Budget(total: bytes, share: bytes / 2)
        self.proxies = proxies
    }

    /// What a connection, or a stream of one, has written.
    func holding(for connection: any Channel) -> Budget.Holding {
        let peer = IPAddress(connection.remoteAddress)
        return budget.holding(for: peer.flatMap { peer in proxies.contains { $0.contains(peer) } ? nil : peer.counted })
    }
}
