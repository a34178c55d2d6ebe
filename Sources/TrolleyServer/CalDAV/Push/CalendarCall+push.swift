import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleySync

// Registrations for push messages.

extension CalendarCall {
    /// Registers the client for a list, or changes its registration. A client that may only read may be told, too.
    /// - Returns: nil if the resource is no list.
    func post() async throws -> Response? {
        guard case .list(let part) = resource else { return nil }
        let type = request.headers[.contentType]?.lowercased() ?? ""
        guard type.hasPrefix("application/xml") || type.hasPrefix("text/xml") else {
            throw CalendarError(.unsupportedMediaType, nil, "a registration is XML")
        }
        guard let document = try await document() else {
            throw CalendarError(.badRequest, nil, "a registration has a body")
        }
        let list = try await list(part)
        guard await routes.push.key() != nil else {
            throw CalendarError(.forbidden, .push("push-not-available"), "the service sends no push messages now")
        }
        let wanted = try PushRegister(document, routes.push.settings, now: HostedClock.now().wall)
        let registration: PushRegistration
        do throws(StoreError) {
            registration = try await store.register(
                session, for: list,
                RegistrationRequest(
                    endpoint: wanted.endpoint.text, keys: wanted.keys, origin: contact,
                    wantsContent: wanted.wantsContent, wantsProperties: wanted.wantsProperties, seconds: wanted.seconds)
            )
        } catch {
            guard case .tooManySubscriptions = error else { throw error }
            throw CalendarError(
                .forbidden, .push("push-not-available"), "you have the maximum number of registrations; end others")
        }
        return Response(
            status: .noContent,
            headers: [
                .location: origin + CalendarResource.path(of: registration.id),
                .expires: registration.expiresAt.httpText, .cacheControl: "no-store",
            ])
    }

    func end(_ registration: RegistrationID) async throws -> Response {
        guard try await store.endRegistration(registration, of: session.account) else { throw CalendarError.notFound }
        return .noContent
    }

    /// The service's origin, as a contact for push services; a constant where the origin is no valid endpoint.
    private var contact: String { EndpointURL(origin.lowercased())?.origin ?? "https://localhost" }
}
