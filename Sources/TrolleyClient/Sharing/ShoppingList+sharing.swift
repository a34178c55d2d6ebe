public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// Sharing the person's own lists. All of these calls need the service.

extension ShoppingList {
    /// Shares a list in one step: creates it on the service, unless it is there, together with its invitations. The
    /// upload queue then sends its items.
    ///
    /// ```swift
    /// let invitations = try await list.share(with: [InvitationRequest(email: "bob@example.com")])
    /// print(invitations.map(\.link))
    /// ```
    /// - Parameters:
    ///   - people: the people to invite; an invitation without an address is a link that works once.
    /// - Returns: the invitations, in the order of `people`.
    /// - Throws: with the code `alreadyShared` when the list is shared; then use
    ///   ``invite(email:uses:permission:expiresIn:)``.
    public func share(with people: [InvitationRequest]) async throws(DeviceError) -> [Invitation] {
        guard let session = try await device.session() else { throw .notSignedIn }
        if try await isPublished(), try await !isOwner() { throw .onlyOwnerShares }
        let list = try await takeOwnership(publishing: false)
        var request = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.createListRequest(for: list.id)
        }
        request.share = NewShare(invitations: people.map(\.withSecret))
        let transport = device.transport(of: session)
        let response = try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.createSharedList(request)
        }
        try await list.noteShared(as: response.list, by: session)
        let invitations = (response.invitations ?? []).map { Invitation($0, server: session.server) }
        try await device.keep(invitations, of: session)
        return invitations
    }

    /// Invites a person, or creates a link, for the first person who opens it or for several. Creates a local list on the
    /// service first.
    ///
    /// ```swift
    /// let family = try await list.invite(uses: 4, expiresIn: .seconds(86_400))
    /// print(family.link)
    /// ```
    /// - Parameters:
    ///   - email: the address of the person to invite; nil: creates a link.
    ///   - uses: how many people may use the link, 2 to 100; nil: one.
    ///   - permission: the person's permission on the list.
    ///   - expiresIn: how long the invitation is valid; nil: an invitation by address until it is withdrawn, a link for
    ///     30 days.
    public func invite(
        email: String? = nil, uses: Int? = nil, permission: Permission = .readWrite, expiresIn: Duration? = nil
    ) async throws(DeviceError) -> Invitation {
        guard let session = try await device.session() else { throw .notSignedIn }
        let request = InvitationRequest(
            email: email, uses: uses, permission: permission, expiresIn: expiresIn.map { $0.components.seconds * 1000 }
        ).withSecret
        let list = try await takeOwnership(publishing: false)
        if try await !list.isPublished() {
            do {
                if let invitation = try await list.share(with: [request]).first { return invitation }
            } catch .transport(.unreachable(let what)) {
                throw .notPublished(.transport(.unreachable(what)))
            } catch  where error.problem?.code == .alreadyShared {
                // An earlier try succeeded, but its answer was lost.
                try await list.noteShared(as: nil, by: session)
            }
        }
        let transport = device.transport(of: session)
        let response = try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.invite(request, to: list.id)
        }
        let invitation = Invitation(response, server: session.server)
        try await device.keep([invitation], of: session)
        _ = try await device.sync(.manual)
        return invitation
    }

    /// The open invitations to the person's own list. The service has no secrets that it could show again; see
    /// ``Device/keptLinks()``.
    ///
    /// ```swift
    /// for open in try await list.invitations() { print(open.email ?? "a link", open.permission) }
    /// ```
    public func invitations() async throws(DeviceError) -> [OpenInvitation] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.invitations(to: id)
        }
    }

    /// Ends an invitation to the person's own list. Safe to repeat.
    ///
    /// ```swift
    /// for open in try await list.invitations() { try await list.withdraw(open.id) }
    /// ```
    public func withdraw(_ invitation: InvitationID) async throws(DeviceError) {
        let store = try await device.storeOfSession()
        try await device.call { (transport) async throws(TransportError) in
            try await transport.withdraw(invitation, to: id)
        }
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await store.forgetLink(of: invitation)
        }
        _ = try await device.sync(.manual)
    }

    /// Removes a person from the person's own list, or withdraws their invitation. Safe to repeat.
    ///
    /// ```swift
    /// try await list.remove(bob)
    /// ```
    public func remove(_ account: AccountID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.remove(account, from: id)
        }
        _ = try await device.sync(.manual)
    }

    /// Changes a participant's permission on the person's own list. Safe to repeat.
    ///
    /// ```swift
    /// try await list.permit(.readOnly, to: bob)
    /// ```
    public func permit(_ permission: Permission, to account: AccountID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.permit(permission, to: account, on: id)
        }
        _ = try await device.sync(.manual)
    }

    /// Makes a participant the owner of the person's own list. The person stays on the list and may change it. Safe to
    /// repeat.
    ///
    /// ```swift
    /// try await list.handOver(to: bob)
    /// ```
    public func handOver(to account: AccountID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.handOver(id, to: account)
        }
        _ = try await device.sync(.manual)
    }

    /// Stops sharing the person's own list. It leaves everybody else's devices. Safe to repeat.
    ///
    /// ```swift
    /// try await list.stopSharing()
    /// ```
    public func stopSharing() async throws(DeviceError) {
        let store = try await device.storeOfSession()
        try await device.call { (transport) async throws(TransportError) in
            try await transport.stopSharing(id)
        }
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await store.write { [id] in _ = try $0.deleteInvitations(of: try $0.list(id)) }
        }
        _ = try await device.sync(.manual)
    }

    /// Whether the list is on the service, as far as the device knows.
    package func isPublished() async throws(DeviceError) -> Bool {
        let deviceStatus = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.deviceStatus()
        }
        return deviceStatus.lists.contains { $0.id == id && $0.isPublished && !$0.isLocal }
    }

    func isOwner() async throws(DeviceError) -> Bool {
        let account = try await device.session()?.account
        let people = try await participants().participants
        // Before a list is shared, only its owner may be on it.
        return people.isEmpty || people.contains { $0.account == account && $0.role == .owner }
    }

    /// Records that the list is on the service, so that its items can be sent.
    private func noteShared(as answer: ListResponse?, by session: AccountSession) async throws(DeviceError) {
        let (store, now) = (device.store.during(session), device.clock().wall)
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            _ = try await store.takeOwnership(of: id, publishing: true, at: now)
            try await store.notePublished(id, as: answer, at: now)
        }
        _ = try await device.sync(.manual)
    }
}

extension InvitationRequest {
    /// Adds a secret that this device has made, so that a repeated request creates no second invitation.
    var withSecret: InvitationRequest {
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
    /// How many people may use the link; nil: one.
    public var uses: Int?

    fileprivate init(_ response: InvitationResponse, server: String) {
        id = response.id
        link = Self.link(to: server, secret: response.secret)
        email = response.email
        permission = response.permission
        expiresAt = response.expiresAt
        uses = response.uses
    }

    static func link(to server: String, secret: String) -> String { "\(server)\(Path.join)#\(secret)" }
}

extension Device {
    /// The links for several people that were made on this device, by their invitations: they can be shown again as long as
    /// they are open.
    ///
    /// ```swift
    /// let links = try await device.keptLinks()
    /// for open in try await list.invitations() { print(links[open.id] ?? "made on another device") }
    /// ```
    public func keptLinks() async throws(DeviceError) -> [InvitationID: String] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.keptLinks() }
    }

    /// Keeps links for several people, so that they can be shown again.
    fileprivate func keep(_ invitations: [Invitation], of session: AccountSession) async throws(DeviceError) {
        for invitation in invitations where invitation.uses != nil {
            guard let id = invitation.id else { continue }
            try await withStoreErrors { () async throws(QueueStoreError) in
                try await store.during(session).keepLink(invitation.link, of: id)
            }
        }
    }
}
