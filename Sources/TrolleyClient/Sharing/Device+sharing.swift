public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// Sharing the person's own lists. All of these calls need the service.

extension Device {
    /// Shares a list in one step: creates it on the service, unless it is there, together with its invitations. The
    /// upload queue then sends its items.
    /// - Parameters:
    ///   - list: the list.
    ///   - people: the people to invite; an invitation without an address is a link that works once.
    /// - Returns: the invitations, in the order of `people`.
    /// - Throws: with the code `alreadyShared` when the list is shared; then use
    ///   ``Device/invite(to:email:permission:expiresIn:)``.
    public func share(_ list: ListID, with people: [InvitationRequest]) async throws(DeviceError) -> [Invitation] {
        guard let session = try await session() else { throw .notSignedIn }
        if try await isPublished(list), try await !isOwner(of: list) { throw .onlyOwnerShares }
        let list = try await takeOwnership(of: list, publishing: false)
        var request = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.createListRequest(for: list)
        }
        request.share = NewShare(invitations: people.map(\.withSecret))
        let transport = transport(of: session)
        let response = try await withTransportErrors { () async throws(TransportError) in
            try await transport.createSharedList(request)
        }
        try await noteShared(list, as: response.list)
        return (response.invitations ?? []).map { Invitation($0, server: session.server) }
    }

    /// Invites a person, or creates a link that works once, for the first person who opens it. Creates a local list on
    /// the service first.
    /// - Parameters:
    ///   - list: the list.
    ///   - email: the address of the person to invite; nil: creates a link that works once.
    ///   - permission: the person's permission on the list.
    ///   - expiresIn: how long the invitation is valid; nil: an invitation by address until it is withdrawn, a link for
    ///     30 days.
    public func invite(
        to list: ListID, email: String? = nil, permission: Permission = .readWrite, expiresIn: Duration? = nil
    ) async throws(DeviceError) -> Invitation {
        guard let session = try await session() else { throw .notSignedIn }
        let request = InvitationRequest(
            email: email, permission: permission, expiresIn: expiresIn.map { $0.components.seconds * 1000 }
        ).withSecret
        let list = try await takeOwnership(of: list, publishing: false)
        if try await !isPublished(list) {
            do {
                if let invitation = try await share(list, with: [request]).first { return invitation }
            } catch .transport(.unreachable(let what)) {
                throw .notPublished(.transport(.unreachable(what)))
            } catch  where error.problem?.code == .alreadyShared {
                // An earlier try succeeded, but its answer was lost.
                try await noteShared(list, as: nil)
            }
        }
        let transport = transport(of: session)
        let response = try await withTransportErrors { () async throws(TransportError) in
            try await transport.invite(request, to: list)
        }
        _ = try await sync(.manual)
        return Invitation(response, server: session.server)
    }

    /// The open invitations to the person's own list. Their secrets can't be shown again.
    public func invitations(to list: ListID) async throws(DeviceError) -> [OpenInvitation] {
        let transport = try await transport()
        return try await withTransportErrors { () async throws(TransportError) in
            try await transport.invitations(to: list)
        }
    }

    /// Ends an invitation to the person's own list. Safe to repeat.
    public func withdraw(_ invitation: InvitationID, to list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in
            try await transport.withdraw(invitation, to: list)
        }
        _ = try await sync(.manual)
    }

    /// Removes a person from the person's own list, or withdraws their invitation. Safe to repeat.
    public func remove(_ account: AccountID, from list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in
            try await transport.remove(account, from: list)
        }
        _ = try await sync(.manual)
    }

    /// Changes a participant's permission on the person's own list. Safe to repeat.
    public func permit(
        _ permission: Permission, to account: AccountID, on list: ListID
    ) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in
            try await transport.permit(permission, to: account, on: list)
        }
        _ = try await sync(.manual)
    }

    /// Makes a participant the owner of the person's own list. The person stays on the list and may change it. Safe to
    /// repeat.
    public func handOver(_ list: ListID, to account: AccountID) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in
            try await transport.handOver(list, to: account)
        }
        _ = try await sync(.manual)
    }

    /// Stops sharing the person's own list. It leaves everybody else's devices. Safe to repeat.
    public func stopSharing(_ list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in try await transport.stopSharing(list) }
        _ = try await sync(.manual)
    }

    func isPublished(_ list: ListID) async throws(DeviceError) -> Bool {
        let deviceStatus = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.deviceStatus()
        }
        return deviceStatus.lists.contains { $0.id == list && $0.isPublished && !$0.isLocal }
    }

    func isOwner(of list: ListID) async throws(DeviceError) -> Bool {
        let account = try await session()?.account
        let people = try await participants(of: list).participants
        // Before a list is shared, only its owner may be on it.
        return people.isEmpty || people.contains { $0.account == account && $0.role == .owner }
    }

    /// Records that the list is on the service, so that its items can be sent.
    private func noteShared(_ list: ListID, as answer: ListResponse?) async throws(DeviceError) {
        try await publish(list)
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.notePublished(list, as: answer, at: now)
        }
        _ = try await sync(.manual)
    }
}

extension InvitationRequest {
    /// Adds a secret that this device has made, so that a repeated request creates no second invitation.
    fileprivate var withSecret: InvitationRequest {
        var request = self
        request.secret = request.secret ?? Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        return request
    }
}

/// An invitation to a list.
public struct Invitation: Hashable, Sendable {
    public var id: InvitationID?
    /// Anybody with the link can use the invitation: show it only to the invited person.
    public var link: String
    public var email: String?
    public var permission: Permission
    public var expiresAt: Timestamp?

    fileprivate init(_ response: InvitationResponse, server: String) {
        id = response.id
        link = "\(server)\(Path.join)#\(response.secret)"
        email = response.email
        permission = response.permission
        expiresAt = response.expiresAt
    }
}
