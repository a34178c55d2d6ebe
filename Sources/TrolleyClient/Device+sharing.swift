public import TrolleyJournal
public import TrolleySync
import TrolleyWire

// Sharing a list. All of it needs the service.

extension Device {
    /// Invites a person, or makes a link that works once, for whoever opens it.
    public func invite(
        to list: ListID, email: String? = nil, permission: Permission = .readWrite
    ) async throws(DeviceError) -> Invitation {
        let report = try await sync(.byHand)
        let transport = try await transport()
        guard let session = try await session() else { throw .notSignedIn }
        let standing = try await stored { () async throws(QueueStoreError) in try await store.standing() }
        guard standing.lists.contains(where: { $0.id == list && $0.isPublished }) else {
            throw .notPublished(report.failure)
        }
        let response = try await called { () async throws(TransportError) in
            try await transport.invite(InvitationRequest(email: email, permission: permission), to: list)
        }
        return Invitation(
            link: "\(session.server)\(Path.join)#\(response.secret)", email: response.email,
            permission: response.permission, expiresAt: response.expiresAt)
    }

    /// Accepts an invitation, makes its list the current one, and fetches it.
    /// - Returns: the list, and how the fetch went.
    public func join(_ link: String) async throws(DeviceError) -> (list: ListID, report: SyncReport) {
        guard let session = try await session() else { throw .notSignedIn }
        let secret = try Self.secret(in: link, for: session.server)
        let transport = transport(session.server, token: session.token)
        let response = try await called { () async throws(TransportError) in try await transport.accept(secret) }
        try await stored { () async throws(QueueStoreError) in try await store.join(response.id) }
        return (response.id, try await sync(.byHand))
    }

    /// Who is on a list: as the service has it, or as the device last knew when that can't be reached.
    public func participants(of list: ListID) async throws(DeviceError) -> ShareState {
        let known = try await stored { () async throws(QueueStoreError) in try await store.share(of: list) }
        do {
            return try await transport().share(of: list)
        } catch let error as DeviceError {
            guard let known else { throw error }
            return known
        } catch let error as TransportError {
            if case .unreachable = error, let known { return known }
            throw .transport(error)
        } catch {
            return known ?? ShareState()
        }
    }

    /// The secret of a link, which is only told to the service that it is for.
    private static func secret(in link: String, for server: String) throws(DeviceError) -> String {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let secret = parts.last, !secret.isEmpty,
            secret.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" })
        else { throw .notAnInvitation }
        guard parts.count == 2 else { return String(secret) }
        var address = String(parts[0])
        guard address.hasSuffix(Path.join) else { throw .notAnInvitation }
        address.removeLast(Path.join.count)
        guard let asked = ServiceAddress(address) else { throw .notAnInvitation }
        guard asked == ServiceAddress(server) else { throw .invitationOfAnotherService(address) }
        return String(secret)
    }
}

/// An invitation to a list.
public struct Invitation: Hashable, Sendable {
    /// Opens the invitation, so it is for the invited only.
    public var link: String
    public var email: String?
    public var permission: Permission
    public var expiresAt: Timestamp?
}
