import FoundationEssentials
import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Admits the requests of CalDAV clients: Basic authentication (RFC 7617) with the account's email and a personal token as the
/// password, or the token alone as a bearer. Answers errors as WebDAV does.
struct CalendarMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter
    let limits: Limits

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        do {
            context.authenticate(try await session(of: request))
            return try await next(request, context)
        } catch let error as CalendarError {
            return error.response
        } catch let error as XMLError {
            return CalendarError(error).response
        } catch let error as CalendarObject.Refusal {
            return CalendarError(error).response
        } catch {
            let problem = Problem(answering: error, limits: limits)
            // The service's own faults are logged and answered where all are.
            if problem.status == 500 { throw error }
            var response = CalendarError(problem).response
            if let seconds = problem.retryAfter { response.headers[.retryAfter] = String(seconds) }
            if problem.code == .notAuthenticated {
                response.headers[.wwwAuthenticate] = #"Basic realm="Trolley", charset="UTF-8""#
            }
            return response
        }
    }

    /// - Throws: `NotAuthenticated`, `Problem`, `StoreError`.
    private func session(of request: Request) async throws -> Session {
        guard let header = request.headers[.authorization] else { throw NotAuthenticated() }
        var email: String?
        let token: Secret
        if header.prefix(6).lowercased() == "basic " {
            let encoded = String(header.dropFirst(6)).trimmed
            guard let data = Data(base64Encoded: encoded), let pair = String(validating: data, as: UTF8.self),
                let colon = pair.firstIndex(of: ":")
            else { throw NotAuthenticated() }
            email = String(pair[..<colon])
            token = Secret(text: String(pair[pair.index(after: colon)...]).trimmed)
        } else {
            guard header.prefix(7).lowercased() == "bearer " else { throw NotAuthenticated() }
            token = Secret(text: String(header.dropFirst(7)))
        }
        // A person's own session or password would open more than a task app needs.
        guard let session = try await store.session(tokenHash: token.hash), session.scope != nil else {
            throw NotAuthenticated()
        }
        try limiter.admit(session)
        if let email {
            let own = try await store.account(session.account).email
            guard EmailAddress(unchecked: own).key == EmailAddress(unchecked: email.trimmed).key else {
                throw NotAuthenticated()
            }
        }
        return session
    }
}
