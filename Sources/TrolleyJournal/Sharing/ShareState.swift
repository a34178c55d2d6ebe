/// Who is on a list. Every state of the share is a change of the list's stream (DESIGN §3, 'Sharing').
public struct ShareState: Hashable, Sendable, Codable {
    public var participants: [Participant]

    public init(participants: [Participant] = []) { self.participants = participants }

    /// Whether anybody but the owner is on the list or asked to it.
    public var isShared: Bool { participants.contains { $0.role != .owner && $0.isOnList } }

    /// Whether the person is on the list and may read it only.
    package func isReadOnly(for account: AccountID) -> Bool {
        participants.contains { $0.account == account && $0.permission == .readOnly }
    }

    /// The state as somebody of this role may know it. The owner knows everything. A participant doesn't learn who was
    /// invited and never came, nor which invitations are open: of somebody who was on the list, only that they have left.
    public func shown(to role: Role) -> ShareState {
        role == .owner ? self : ShareState(participants: participants.compactMap { $0.shownToParticipants })
    }
}

/// One person on a list, or invited to it.
public struct Participant: Hashable, Sendable, Codable {
    /// nil for an invited person who was never on the list: whether they have an account is not the owner's to know.
    public var account: AccountID?
    public var email: String?
    public var name: String?
    public var role: Role
    public var permission: Permission
    public var status: Status
    /// true for somebody who `left` by deleting their account; they have no name any more.
    public var accountDeleted: Bool?

    public init(
        account: AccountID?, email: String? = nil, name: String? = nil, role: Role = .participant,
        permission: Permission = .readWrite, status: Status, accountDeleted: Bool? = nil
    ) {
        self.account = account
        self.email = email
        self.name = name
        self.role = role
        self.permission = permission
        self.status = status
        self.accountDeleted = accountDeleted
    }

    public enum Role: String, CaseIterable, Hashable, Sendable, Codable {
        case owner, participant
    }

    public enum Permission: String, CaseIterable, Hashable, Sendable, Codable {
        case readWrite, readOnly
    }

    /// `left` and `declined` say how somebody went; a later state of the share may leave such a participant out, and
    /// nothing new has happened then.
    public enum Status: String, CaseIterable, Hashable, Sendable, Codable {
        case invited, accepted, left, declined
    }
}

extension Participant {
    /// On the list, or asked to it.
    public var isOnList: Bool { status == .invited || status == .accepted }

    /// The same account; or the same address, of which only one has an account yet.
    public func isSamePerson(as other: Participant) -> Bool {
        if let account, let otherAccount = other.account { return account == otherAccount }
        guard let email, let otherEmail = other.email else { return false }
        return email.lowercased().hasSameBytes(as: otherEmail.lowercased())
    }

    /// nil for somebody who was never on the list, as far as this state tells.
    fileprivate var shownToParticipants: Participant? {
        guard status == .invited || status == .declined else { return self }
        guard account != nil, email != nil || name != nil else { return nil }
        var shown = self
        shown.status = .left
        return shown
    }

    /// Somebody who deleted their account, as the others go on seeing them: that they were there, and not who.
    public func redacted(account: AccountID) -> Participant {
        var redacted = self
        // Without an address, somebody invited can't be told any more from somebody who was on the list and could come back.
        if status == .invited, self.account != nil { redacted.status = .left }
        redacted.account = account
        redacted.email = nil
        redacted.name = nil
        return redacted
    }
}

public typealias Role = Participant.Role
public typealias Permission = Participant.Permission
