/// A person who is on a list or invited to it.
public struct Participant: Hashable, Sendable, Codable {
    /// nil for an invited person who was never on the list: the owner must not learn whether they have an account.
    public var account: AccountID?
    public var email: String?
    public var name: String?
    /// The colour of the person's picture, if they have chosen one: any text that the apps understand.
    public var colour: String?
    public var role: Role
    public var permission: Permission
    public var status: Status
    /// true for a person who `left` by deleting their account; they have no name any more.
    public var accountDeleted: Bool?

    public init(
        account: AccountID?, email: String? = nil, name: String? = nil, colour: String? = nil,
        role: Role = .participant, permission: Permission = .readWrite, status: Status, accountDeleted: Bool? = nil
    ) {
        self.account = account
        self.email = email
        self.name = name
        self.colour = colour
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

    /// `left` and `declined` say how a person went. A later state of the share may leave out such a participant; that
    /// is no change.
    public enum Status: String, CaseIterable, Hashable, Sendable, Codable {
        case invited, accepted, left, declined
    }
}

extension Participant {
    /// On the list, or invited to it.
    public var isOnList: Bool { status == .invited || status == .accepted }

    /// The order in a state of the share: the owner, then the members, then the invited people, each sorted by address.
    package static func precedes(_ left: Participant, _ right: Participant) -> Bool {
        func rank(_ participant: Participant) -> Int {
            participant.role == .owner ? 0 : participant.status == .accepted ? 1 : 2
        }
        return (rank(left), left.email ?? "") < (rank(right), right.email ?? "")
    }

    /// Whether both have the same account or, where one has no account yet, the same address.
    public func isSamePerson(as other: Participant) -> Bool {
        if let account, let otherAccount = other.account { return account == otherAccount }
        guard let email, let otherEmail = other.email else { return false }
        return email.inLowerCase.hasSameBytes(as: otherEmail.inLowerCase)
    }

    /// nil for a person who was never on the list, as far as this state shows.
    var shownToParticipants: Participant? {
        guard status == .invited || status == .declined else { return self }
        guard account != nil, email != nil || name != nil else { return nil }
        var shown = self
        shown.status = .left
        return shown
    }

    /// The participant after deleting their account, as other people continue to see them: without name and address.
    public func redacted(account: AccountID) -> Participant {
        var redacted = self
        // Without an address, an invited person can't be told from a person who was on the list and could return.
        if status == .invited, self.account != nil { redacted.status = .left }
        redacted.account = account
        redacted.email = nil
        redacted.name = nil
        redacted.colour = nil
        return redacted
    }
}

public typealias Role = Participant.Role

public typealias Permission = Participant.Permission
