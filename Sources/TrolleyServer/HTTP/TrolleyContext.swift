import Hummingbird
import Logging
import NIOCore
import TrolleyStore

/// The context of a request.
struct TrolleyContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The session of the request; nil before authentication, and where none is needed.
    private var authenticated: Session?
    /// The request's connection; under HTTP/2, its stream.
    let channel: any Channel
    /// The address of the connection's peer; nil for a Unix socket.
    let peer: IPAddress?
    /// The client's address: the peer, or the address that a trusted proxy names.
    var client: IPAddress?
    /// Whether the client uses TLS, as far as the service knows.
    var isSecure = false
    /// The token in the browser's cookie that authenticates the request; nil if `Authorization` does.
    var cookieToken: String?
    /// Whether the client sent HEAD, which routes see as GET (``HeadResponder``). A route whose GET starts something checks this.
    var wantsHeadOnly = false
    /// The request's id in the log, the response, and the problem document.
    var requestID = ""

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = IPAddress(source.channel.remoteAddress)
        client = peer
    }

    /// The request's session. Only for routes behind ``AuthenticationMiddleware``.
    var session: Session {
        get throws {
            guard let authenticated else { throw NotAuthenticated() }
            return authenticated
        }
    }

    /// The request's session, if it has been authenticated.
    var signedIn: Session? { authenticated }

    /// The method that the client sent.
    func method(of request: Request) -> String { wantsHeadOnly ? "HEAD" : request.method.rawValue }

    mutating func authenticate(_ session: Session) { authenticated = session }

    /// Logs with the request's id, account and device. They are combined only here, because most requests log nothing.
    func log(
        _ level: Logger.Level, _ message: Logger.Message, _ metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard logger.logLevel <= level else { return }
        var all: Logger.Metadata = ["request": "\(requestID)"]
        if let authenticated {
            all["account"] = "\(authenticated.account)"
            all["device"] = "\(authenticated.device)"
        }
        logger.log(level: level, message, metadata: all.merging(metadata()) { $1 })
    }
}

/// The request has no token of a signed-in device.
struct NotAuthenticated: Error {
    /// What to do, for the client.
    var detail = "sign in: the request has no valid token"
}
