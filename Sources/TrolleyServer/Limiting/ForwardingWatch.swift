import HTTPTypes
import Logging
import Synchronization
import TrolleyStore

/// Notices reverse proxies that the service was not told of. Behind one everybody has the proxy's address: people share all
/// limits by address, and `/metrics` is open to all where the proxy is on this machine.
final class ForwardingWatch: Sendable {
    /// Between two warnings.
    private static let pause = Duration.seconds(3600)

    private let trust: ProxyTrust
    private let store: Store
    private let logger: Logger
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    init(trust: ProxyTrust, store: Store, logger: Logger) {
        self.trust = trust
        self.store = store
        self.logger = logger
    }

    /// - Parameter peer: who the connection is from.
    func look(at headers: HTTPFields, from peer: IPAddress?) {
        guard let doubt = trust.doubt(peer: peer, headers: headers), isDue() else { return }
        logger.warning(
            "forwarding headers are not believed: \(doubt.sentence)", metadata: ["advice": "\(doubt.advice)"])
        // A request doesn't wait for it.
        Task { [store, logger] in
            do throws(StoreError) { try await store.note(.forwarding, doubt.sentence) } catch {
                logger.debug("a notice could not be written", metadata: ["error": "\(error)"])
            }
        }
    }

    private func isDue() -> Bool {
        let now = ContinuousClock.now
        return last.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }
}

extension ProxyTrust {
    /// Why forwarding headers are not believed that look as if they should be.
    enum Doubt: Hashable {
        /// They come from a peer in a private network that is not among the trusted proxies.
        case unknownProxy(IPAddress)
        /// A trusted proxy names its clients in the header that is not read.
        case otherHeader(Header)

        var sentence: String {
            switch self {
            case .unknownProxy(let peer): "\(peer) sends them and is not among the trusted proxies"
            case .otherHeader(let header):
                "a trusted proxy sends \(header.other.rawValue), and only \(header.rawValue) is read"
            }
        }

        var advice: String {
            switch self {
            case .unknownProxy(let peer):
                "If that is your reverse proxy, set --trusted-proxies \(peer); else have it send no such headers."
            case .otherHeader(let header): "Set --proxy-header \(header.other.rawValue)."
            }
        }
    }

    /// nil when there are no forwarding headers, when they are believed, or when the peer is a stranger from a public network:
    /// anybody may write headers.
    func doubt(peer: IPAddress?, headers: HTTPFields) -> Doubt? {
        func has(_ header: Header) -> Bool { HTTPField.Name(header.rawValue).map { headers[$0] != nil } ?? false }
        guard let peer, has(.forwarded) || has(.forwardedFor) else { return nil }
        if isProxy(peer) { return has(header) ? nil : .otherHeader(header) }
        return IPNetwork.private.contains { $0.contains(peer) } ? .unknownProxy(peer) : nil
    }
}

extension ProxyTrust.Header {
    fileprivate var other: Self { self == .forwarded ? .forwardedFor : .forwarded }
}
