public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// Lists that are made together with their invitations. The device makes the invitations' secrets, so it can do that without
// the service, and can send each of them again.

extension Device {
    /// Creates a list with invitations, as one gesture, and makes the list the current one. The next sync creates both on the
    /// service. If the service refuses an invitation, the list remains, and so does the invitation with the reason
    /// (``ShoppingList/waitingInvitations()``).
    ///
    /// ```swift
    /// let (party, invitations) = try await device.makeList(
    ///     named: "Party", inviting: [InvitationRequest(email: "bob@example.com")])
    /// print(party.id, invitations.compactMap(\.link))
    /// ```
    /// - Parameters:
    ///   - name: as for ``makeList(named:colour:isLocal:)``.
    ///   - template: what the list begins with. Adds the items as one gesture.
    ///   - people: the people to invite; an invitation without an address is a link that works once.
    /// - Returns: the list, and its invitations in the order of `people`.
    /// - Throws: `.notAnEmailAddress`, `.unusableText`; then nothing was made.
    @discardableResult
    public func makeList(
        named name: String, colour: String? = nil, isLocal: Bool = false, from template: ListTemplate? = nil,
        inviting people: [InvitationRequest]
    ) async throws(DeviceError) -> (list: ShoppingList, invitations: [WaitingInvitation]) {
        try Self.check(name)
        for person in people {
            if let email = person.email, !email.isEmailAddress { throw .notAnEmailAddress(email) }
        }
        let made = clock()
        let requests = people.map(\.withSecret)
        let edits = template.map { self.edits(of: $0) } ?? []
        let list = try await gesture { [self] transaction in
            let list = try insertList(
                named: name, colour: colour ?? template?.colour, isLocal: isLocal && people.isEmpty, in: transaction,
                made: made)
            _ = try append(edits, to: list, in: transaction, made: made)
            try transaction.insert(requests, to: try transaction.list(list))
            try transaction.set("current", to: list.data)
            return list
        }
        return (self.list(list), try await self.list(list).waitingInvitations())
    }

    private func edits(of template: ListTemplate) -> [ListEdit] {
        let aisles: [ListEdit] = template.aisles.isEmpty ? [] : [.orderAisles(template.aisles)]
        return aisles + template.shops.map { .setShop($0) }
            + template.items.map { .add(identifier(ItemID.self), $0.fields, .bottom) }
    }

    /// Sends the invitations that wait. The next sync repeats what fails.
    /// - Returns: the number of requests, and whether the service has taken any.
    func sendInvitations(_ session: AccountSession) async throws(DeviceError) -> (requests: Int, isTaken: Bool) {
        let (transport, store) = (transport(of: session), store.during(session))
        let waiting = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { try $0.waitingInvitations() }
        }
        var (requests, isTaken) = (0, false)
        for invitation in waiting where invitation.content.code == nil {
            var verdict = InvitationVerdict.sent
            var isOfListOnly = false
            requests += 1
            do throws(TransportError) {
                _ = try await transport.invite(invitation.content.request, to: invitation.list)
                isTaken = true
            } catch {
                verdict = InvitationVerdict(error)
                if case .problem(let problem) = error {
                    isOfListOnly = problem.code.concernsOneList || problem.code == .zoneBusy
                }
            }
            if verdict == .waits {
                if isOfListOnly { continue }
                // The service can't be asked now, or the person has invited too many people in this hour.
                break
            }
            try await withStoreErrors { [verdict] () async throws(QueueStoreError) in
                try await store.write { try $0.settle(invitation, as: verdict) }
            }
        }
        return (requests, isTaken)
    }
}

extension ShoppingList {
    /// The invitations that were made on this device and that the service has not taken: those that wait to be sent, and
    /// those that it refused. Needs no network.
    ///
    /// ```swift
    /// for waiting in try await list.waitingInvitations() { print(waiting.email ?? "a link", waiting.refusal == nil) }
    /// ```
    public func waitingInvitations() async throws(DeviceError) -> [WaitingInvitation] {
        let server = try await device.session()?.server
        return try await device.read { [id] transaction in
            try transaction.waitingInvitations(of: try transaction.list(id)).map {
                WaitingInvitation($0.content, server: server)
            }
        }
    }

    /// Forgets invitations for an address that the service has not taken.
    ///
    /// ```swift
    /// try await list.dismissInvitations(for: "bob@example.com")
    /// ```
    /// - Returns: the number of invitations.
    @discardableResult
    public func dismissInvitations(for email: String) async throws(DeviceError) -> Int {
        try await device.write { [id] transaction in
            try transaction.deleteInvitations(of: try transaction.list(id), for: email)
        }
    }
}
