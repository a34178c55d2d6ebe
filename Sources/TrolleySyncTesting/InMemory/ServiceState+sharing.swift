import TrolleyJournal
import TrolleyWire

extension ServiceState {
    mutating func invite(
        _ request: InvitationRequest, to id: ListID, by session: Session
    ) throws(Problem) -> InvitationResponse {
        let list = try ownList(id, of: session.account)
        guard list.people.count(where: { $0.isOnList }) < limits.participantsPerList else {
            throw Problem(
                .tooManyParticipants, "a list may have at most \(limits.participantsPerList) people", limits: limits)
        }
        let (new, now) = (identifier(InvitationID.self), now())
        let invitation = try change(id) { $0.invite(request, as: new, at: now) }
        return InvitationResponse(
            id: invitation.id, secret: invitation.secret, email: invitation.email, permission: invitation.permission,
            expiresAt: invitation.expiresAt, uses: invitation.uses > 1 ? invitation.uses : nil)
    }

    /// The invitation with a secret, if this account may use it.
    func invitation(
        _ secret: String, for account: AccountResponse
    ) throws(Problem) -> (list: ListID, invitation: SharedList.Invitation) {
        for (id, list) in lists {
            if let invitation = list.invitation(secret, for: account, at: now()) { return (id, invitation) }
        }
        throw Problem(.unknownItem, "this invitation doesn't exist, was used, or is for another person")
    }

    func preview(_ secret: String, for account: AccountResponse) throws(Problem) -> InvitationPreview {
        let (id, invitation) = try invitation(secret, for: account)
        let list = try list(id)
        var preview = InvitationPreview(
            list: id, name: list.state.name, colour: list.state.colour,
            owner: list.owner.flatMap { name(of: $0) } ?? "",
            permission: invitation.permission, accepted: list.member(account.id) != nil)
        preview.show(list.state)
        return preview
    }

    mutating func accept(_ secret: String, for account: AccountResponse) throws(Problem) -> ListResponse {
        let (id, invitation) = try invitation(secret, for: account)
        gone[account.id]?[id] = nil
        try change(id) { $0.accept(invitation, by: account) }
        return try list(id).response(id, for: account.id)
    }

    private func list(_ id: ListID) throws(Problem) -> SharedList {
        guard let list = lists[id] else { throw Problem(.listNotFound) }
        return list
    }
}
