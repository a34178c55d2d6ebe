import TrolleyJournal
public import TrolleySync
public import TrolleyWire

// Joining and leaving other people's lists. All of these calls need the service.

extension Device {
    /// What an invitation offers. Changes nothing.
    ///
    /// ```swift
    /// let offer = try await device.previewInvitation("https://trolley.example.com/join#…")
    /// print(offer.owner, offer.name ?? "")
    /// ```
    public func previewInvitation(_ link: String) async throws(DeviceError) -> InvitationPreview {
        let (session, secret) = try await open(link)
        return try await withTransportErrors { () async throws(TransportError) in
            try await transport(of: session).previewInvitation(secret)
        }
    }

    /// Accepts an invitation, makes its list the current one, and fetches it. Safe to repeat.
    ///
    /// ```swift
    /// let (list, report, _) = try await device.join("https://trolley.example.com/join#…")
    /// print(list.id, report.received)
    /// ```
    /// - Returns: the list, the report of the fetch, which may have failed although the person is on the list, and what the
    ///   invitation said of the list; nil if the service didn't say.
    public func join(
        _ link: String
    ) async throws(DeviceError) -> (list: ShoppingList, report: SyncReport, invitation: InvitationPreview?) {
        let (session, secret) = try await open(link)
        let transport = transport(of: session)
        var invitation: InvitationPreview?
        do throws(TransportError) { invitation = try await transport.previewInvitation(secret) } catch {
            // Accepting says why.
        }
        let response = try await withTransportErrors { () async throws(TransportError) in
            try await transport.accept(secret)
        }
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.during(session).join(response.id, permission: response.permission, at: now)
        }
        return (list(response.id), try await sync(.manual), invitation)
    }

    /// Declines an invitation. The invitation ends and the list's owner sees it. Safe to repeat.
    ///
    /// ```swift
    /// try await device.decline("https://trolley.example.com/join#…")
    /// ```
    public func decline(_ link: String) async throws(DeviceError) {
        let (session, secret) = try await open(link)
        try await withTransportErrors { () async throws(TransportError) in
            try await transport(of: session).decline(secret)
        }
    }

    private func open(_ link: String) async throws(DeviceError) -> (AccountSession, secret: String) {
        guard let session = try await session() else { throw .notSignedIn }
        return (session, try Self.secret(in: link, for: session.server))
    }

    /// The secret of a link. It is sent only to the service that the link names.
    static func secret(in link: String, for server: String) throws(DeviceError) -> String {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let secret = parts.last, !secret.isEmpty,
            secret.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" })
        else { throw .notAnInvitation }
        guard parts.count == 2 else { return String(secret) }
        var address = String(parts[0])
        guard address.hasSuffix(Path.join) else { throw .notAnInvitation }
        address.removeLast(Path.join.count)
        let known = ServiceAddress(server)
        guard let asked = ServiceAddress(address, like: known) else { throw .notAnInvitation }
        guard asked == known else { throw .invitationOfAnotherService(address) }
        return String(secret)
    }
}

extension ShoppingList {
    /// Leaves somebody else's list; the list leaves all of this person's devices. An owner can't leave, only delete the
    /// list.
    ///
    /// ```swift
    /// try await list.leave()
    /// ```
    /// - Parameters:
    ///   - deleting: deletes the person's own list, for everybody.
    public func leave(deleting: Bool = false) async throws(DeviceError) {
        let store = try await device.storeOfSession()
        if try await isPublished() {
            let isOwner = try await isOwner()
            if isOwner != deleting { throw deleting ? .onlyOwnerDeletes : .ownerCannotLeave }
            try await device.call { (transport) async throws(TransportError) in
                try await transport.deleteList(id)
            }
        } else if !deleting, try await summary().owner == nil {
            throw .ownerCannotLeave
        }
        let now = device.clock().wall
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await store.remove(id, deleting: deleting, at: now)
        }
    }
}
