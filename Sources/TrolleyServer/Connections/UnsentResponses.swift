import NIOCore
import TrolleyStore

/// Bounds the response bytes that were written and have not left the process, over all connections. Under HTTP/2 a
/// client may request on a hundred streams and read nothing.
struct UnsentResponses: Sendable {
    /// By address; nil for a trusted proxy's connection or a Unix socket.
    typealias Budget = ByteBudget<IPAddress?>

    /// Smaller writes are not counted: heads, hints and small responses.
    static let uncounted = 1 << 10

    private let budget: Budget
    private let proxies: [IPNetwork]

    /// - Parameters:
    ///   - bytes: of all connections together. Each address may use half of what the others leave.
    ///   - proxies: addresses whose connections carry many people's requests.
    init(bytes: Int, proxies: [IPNetwork]) {
        budget = Budget(total: bytes, share: bytes / 2)
        self.proxies = proxies
    }

    /// The unsent bytes of a connection or an HTTP/2 stream.
    func reservation(for connection: any Channel) -> Budget.Reservation {
        let peer = IPAddress(connection.remoteAddress)
        return budget.reservation(
            for: peer.flatMap { peer in proxies.contains { $0.contains(peer) } ? nil : peer.counted })
    }
}
