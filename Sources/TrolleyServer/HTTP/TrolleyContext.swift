import Hummingbird
import Logging
import NIOCore
import TrolleyStore

/// What is known about a request while it is answered.
struct TrolleyContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who asks; nil before authentication, and where none is needed.
    private var authenticated: Session?
    /// The request's connection; under HTTP/2, its stream.
    let channel: any Channel
    /// Who is at the other end of the connection; nil for a Unix socket.
    let peer: IPAddress?
    /// Who asks, as far as it is known: the peer, or whom a trusted proxy names.
    var client: IPAddress?
    /// What the request is called in the log, in the answer, and in its problem document.
    var requestID = ""

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = IPAddress(source.channel.remoteAddress)
        client = peer
    }

    /// Who asks. Only routes behind ``AuthenticationMiddleware`` ask for it.
    var session: Session {
        get throws {
            guard let authenticated else { throw NotAuthenticated() }
            return authenticated
        }
    }

    /// Who asks, if they have been authenticated already.
    var signedIn: Session? { authenticated }

    mutating func authenticate(_ session: Session) { authenticated = session }

    /// Writes to the log, with the request's name and whose it is. They are put together only here, because most requests
    /// write nothing.
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

/// The request carries no bearer token of a device that is signed in.
struct NotAuthenticated: Error {}
