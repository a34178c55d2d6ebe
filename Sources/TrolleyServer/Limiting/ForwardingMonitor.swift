import HTTPTypes
import Logging
import Synchronization
import TrolleyStore

/// Detects reverse proxies that are not set up for the service.
///
/// Behind a proxy that the service doesn't trust, all clients have the proxy's address: they share all limits by address,
/// and `/metrics` is open to all if the proxy is on this machine. Behind a proxy that doesn't pass requests to upgrade on,
/// no WebSocket opens: rooms don't work.
final class ForwardingMonitor: Sendable {
    /// The pause between two warnings.
    private static let pause = Duration.seconds(3600)

    private let trust: ProxyTrust
    private let store: Store
    private let logger: Logger
    /// When each condition was last logged.
    private let last = Mutex<[OperatorNotice: ContinuousClock.Instant]>([:])

    init(trust: ProxyTrust, store: Store, logger: Logger) {
        self.trust = trust
        self.store = store
        self.logger = logger
    }

    /// - Parameter peer: the connection's peer.
    func inspect(_ headers: HTTPFields, from peer: IPAddress?) {
        guard let doubt = trust.doubt(peer: peer, headers: headers), isDue(.forwarding) else { return }
        logger.warning(
            "forwarding headers are not believed: \(doubt.sentence)", metadata: ["advice": "\(doubt.advice)"])
        note(.forwarding, doubt.sentence)
    }

    /// Call this when a request for a socket was refused because it doesn't upgrade.
    /// - Parameter peer: the connection's peer.
    func inspectRefusedUpgrade(_ headers: HTTPFields, from peer: IPAddress?) {
        guard let proxy = trust.proxyWithoutUpgrades(peer: peer, headers: headers), isDue(.upgrade) else { return }
        logger.warning(
            "WebSockets don't open: a proxy doesn't pass the request to upgrade on",
            metadata: [
                "proxy": "\(proxy)",
                "advice": "Have it pass the headers Upgrade and Connection on, as deploy/nginx.conf does.",
            ])
        note(.upgrade, "\(proxy) passes WebSocket requests on without the header Upgrade or Connection")
    }

    private func note(_ notice: OperatorNotice, _ detail: String) {
        // In a task, so that the request doesn't wait.
        Task { [store, logger] in
            do throws(StoreError) { try await store.note(notice, detail) } catch {
                logger.debug("a notice could not be written", metadata: ["error": "\(error)"])
            }
        }
    }

    private func isDue(_ notice: OperatorNotice) -> Bool {
        let now = ContinuousClock.now
        return last.withLock { last in
            if let last = last[notice], now - last < Self.pause { return false }
            last[notice] = now
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

    /// The proxy that dropped the headers of a request to upgrade; nil if it doesn't seem to have been one. Proxies pass
    /// the WebSocket's key on, which no other request has. `Upgrade` and `Connection` they pass on only if they are told
    /// to (RFC 9110 §7.6.1).
    func proxyWithoutUpgrades(peer: IPAddress?, headers: HTTPFields) -> IPAddress? {
        guard let peer, headers[.secWebSocketKey] != nil else { return nil }
        guard !headers.asksForWebSocket else { return nil }
        let isForwarded = Header.allCases.contains { header in
            HTTPField.Name(header.rawValue).map { headers[$0] != nil } ?? false
        }
        // In a public network, anybody may send such a request.
        return isProxy(peer) || isForwarded && IPNetwork.private.contains { $0.contains(peer) } ? peer : nil
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
