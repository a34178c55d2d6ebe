import HTTPTypes
import Logging
import Synchronization
import TrolleyStore

/// Detects reverse proxies that the service doesn't trust. Behind such a proxy all clients have the proxy's address:
/// they share all limits by address, and `/metrics` is open to all if the proxy is on this machine.
final class ForwardingMonitor: Sendable {
    /// The pause between two warnings.
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

    /// - Parameter peer: the connection's peer.
    func inspect(_ headers: HTTPFields, from peer: IPAddress?) {
        guard let doubt = trust.doubt(peer: peer, headers: headers), isDue() else { return }
        logger.warning(
            "forwarding headers are not believed: \(doubt.sentence)", metadata: ["advice": "\(doubt.advice)"])
        // In a task, so that the request doesn't wait.
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
    /// Why the service ignores forwarding headers that probably should be believed.
    enum Doubt: Hashable {
        /// The peer is in a private network, and not a trusted proxy.
        case unknownProxy(IPAddress)
        /// A trusted proxy uses the header that the service doesn't read.
        case otherHeader(Header)

        var sentence: String {
            switch self {
            case .unknownProxy(let peer): "\(peer) sends them, but is not a trusted proxy"
            case .otherHeader(let header):
                "a trusted proxy sends \(header.other.rawValue), but only \(header.rawValue) is read"
            }
        }

        var advice: String {
            switch self {
            case .unknownProxy(let peer):
                "If this is your reverse proxy, set --trusted-proxies \(peer). Otherwise stop it from sending such headers."
            case .otherHeader(let header): "Set --proxy-header \(header.other.rawValue)."
            }
        }
    }

    /// Returns nil when there are no forwarding headers, when they are believed, or when the peer is in a public
    /// network, where anybody may send headers.
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
