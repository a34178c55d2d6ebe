import NIOCore
import NIOSSL
package import TrolleySync

/// How calls reach services: by HTTP (``HTTPConnection``), or a service in memory (`TrolleySyncTesting`).
package protocol ServiceConnection: Sendable {
    /// Tries one call once.
    /// - Throws: `.unreachable`.
    func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer

    /// Hears the service's event stream.
    /// - Parameters:
    ///   - opened: called once the service has accepted.
    ///   - take: takes each part of the stream; the stream ends when it returns false.
    func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws

    /// Ends all connections. Nothing is called afterwards.
    func close() async
}

/// A call of the service's API.
package struct ServiceCall: Sendable {
    /// The service's address, without a slash at the end.
    package var server: String
    /// In capitals.
    package var method: String
    /// With its query.
    package var path: String
    /// The session's.
    package var token: String?
    /// JSON.
    package var body: [UInt8]?
    /// For the event stream: the id of the last event that was heard.
    var lastEventID: String?
    /// How long the call may take.
    var timeout: TimeAmount
    /// The TLS settings; nil: only the system's certificates are trusted.
    var tls: TLSConfiguration?
}

/// The service's answer to a call.
package struct ServiceAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// Seconds.
    package var retryAfter: Int?

    package init(status: Int, body: [UInt8], retryAfter: Int? = nil) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }
}
