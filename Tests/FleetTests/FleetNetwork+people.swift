import FoundationEssentials
import HTTPTypes
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyClient

// Calls without faults.

extension FleetNetwork {
    static let password = "correct horse"

    func calm(
        _ method: FleetMethod, _ path: String, _ body: (any Encodable)? = nil, token: String? = nil
    ) async throws -> FleetAnswer {
        let bytes = try body.map { Array(try JSONEncoder().encode($0)) }
        return await current.respond(FleetCall(method: method.http, path: path, token: token, body: bytes))
    }

    func signUp(_ email: String) async throws -> AccountResponse {
        try await calm(
            .post, Path.accounts, SignUpRequest(email: email, name: "Somebody", password: Self.password)
        ).decoded()
    }

    /// A new session, with a device of its own.
    func session(of person: AccountResponse) async throws -> SessionResponse {
        try await calm(.post, Path.sessions, SignInRequest(email: person.email, password: Self.password)).decoded()
    }

    /// Signs in on a device, which is new to the service.
    /// - Parameter lost: the account that the service has lost.
    func signIn(
        _ device: FleetDevice, as person: AccountResponse, succeeding lost: AccountResponse? = nil
    ) async throws {
        let answer = try await session(of: person)
        let session = TrolleyClient.AccountSession(
            server: "http://fleet", token: answer.token, account: person.id, email: person.email, name: person.name,
            device: answer.device.id)
        try await device.store.signIn(
            session, succeeding: Set([lost?.id].compactMap(\.self)), at: device.clock.now.wall)
        device.session = session
    }

    /// Invites a person to a list, and accepts for them.
    func share(
        _ list: String, from owner: FleetDevice, to guest: FleetDevice, permission: Permission = .readWrite
    ) async throws {
        let answer = try await calm(
            .post, list + "/invitations", InvitationRequest(permission: permission), token: owner.session?.token)
        let invitation: InvitationResponse = try answer.decoded()
        _ = try await calm(
            .post, Path.accept, SecretRequest(secret: invitation.secret), token: guest.session?.token)
    }
}

/// The methods that tests use.
enum FleetMethod {
    case get, post, put, patch, delete

    var http: HTTPRequest.Method {
        switch self {
        case .get: .get
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        }
    }
}
