public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

// Sharing a list. All of it needs the service.

extension Device {
    /// Invites a person, or makes a link that works once, for whoever opens it.
    public func invite(
        to list: ListID, email: String? = nil, permission: Permission = .readWrite
    ) async throws(DeviceError) -> Invitation {
        let transport = try await transport()
        try await publish(list)
        let report = try await sync(.byHand)
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

    /// Leaves a list of somebody else's; it leaves this person's devices. An owner can't leave: they delete the list.
    /// - Parameter deleting: deletes one's own list, for everybody.
    public func leave(_ list: ListID, deleting: Bool = false) async throws(DeviceError) {
        let standing = try await stored { () async throws(QueueStoreError) in try await store.standing() }
        if standing.lists.contains(where: { $0.id == list && $0.isPublished }) {
            let isOwner = try await isOwner(of: list)
            if isOwner != deleting { throw deleting ? .notTheOwner : .theOwner }
            let transport = try await transport()
            try await called { () async throws(TransportError) in try await transport.deleteList(list) }
        } else if !deleting {
            throw .theOwner
        }
        let now = clock().wall
        try await stored { () async throws(QueueStoreError) in try await store.remove(list, deleting: deleting, at: now)
        }
    }

    /// Takes a person off one's own list, or withdraws their invitation.
    public func remove(_ account: AccountID, from list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await called { () async throws(TransportError) in try await transport.remove(account, from: list) }
        _ = try await sync(.byHand)
    }

    /// Ends the sharing of one's own list: it leaves everybody else's devices.
    public func stopSharing(_ list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await called { () async throws(TransportError) in try await transport.stopSharing(list) }
        _ = try await sync(.byHand)
    }

    /// Everything that happened to a list, newest first: the service keeps it, so it needs the network.
    public func activity(of list: ListID, limit: Int) async throws(DeviceError) -> ActivityPage {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in
            try await transport.activity(of: list, limit: limit)
        }
    }

    /// The list as it was after a change, as the service says it in JSON.
    public func replay(_ list: ListID, through: Int64) async throws(DeviceError) -> [UInt8] {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in
            try await transport.replay(list, through: through)
        }
    }

    private func isOwner(of list: ListID) async throws(DeviceError) -> Bool {
        let account = try await session()?.account
        let people = try await participants(of: list).participants
        // Before it is shared a list may have nobody on it but its owner.
        return people.isEmpty || people.contains { $0.account == account && $0.role == .owner }
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
