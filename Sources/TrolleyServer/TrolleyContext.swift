import Hummingbird
import TrolleyStore

/// What is known about a request while it is answered.
struct TrolleyContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who asks; nil before authentication, and where none is needed.
    private var authenticated: Session?

    init(source: Source) { coreContext = .init(source: source) }

    /// Who asks. Only routes behind ``AuthenticationMiddleware`` ask for it.
    var session: Session {
        get throws {
            guard let authenticated else { throw NotAuthenticated() }
            return authenticated
        }
    }

    mutating func authenticate(_ session: Session) { authenticated = session }
}

/// The request carries no bearer token of a device that is signed in.
struct NotAuthenticated: Error {}
