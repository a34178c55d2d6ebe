/// Who is on a list. Every state of the share is a change of the list's stream (DESIGN §3, 'Sharing').
public struct ShareState: Hashable, Sendable, Codable {
    public var participants: [Participant]

    public init(participants: [Participant] = []) { self.participants = participants }
}

/// One person on a list, or invited to it.
public struct Participant: Hashable, Sendable, Codable {
    /// nil while an invited person has no account yet.
    public var account: AccountID?
    public var email: String?
    public var name: String?
    public var role: Role
    public var permission: Permission
    public var status: Status

    public init(
        account: AccountID?, email: String? = nil, name: String? = nil, role: Role = .participant,
        permission: Permission = .readWrite, status: Status
    ) {
        self.account = account
        self.email = email
        self.name = name
        self.role = role
        self.permission = permission
        self.status = status
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

public typealias Role = Participant.Role
public typealias Permission = Participant.Permission
