/// The people on a list. Every state of the share is a change in the list's stream.
public struct ShareState: Hashable, Sendable, Codable {
    public var participants: [Participant]

    public init(participants: [Participant] = []) { self.participants = participants }

    /// Whether anybody but the owner is on the list or invited.
    public var isShared: Bool { participants.contains { $0.role != .owner && $0.isOnList } }

    /// Whether the person is on the list and may only read it.
    package func isReadOnly(for account: AccountID) -> Bool {
        participants.contains { $0.account == account && $0.permission == .readOnly }
    }

    /// The state as a person with this role may see it. The owner sees everything. A participant doesn't see invited
    /// people who never joined, nor open invitations of people who were on the list: only that they have left.
    public func shown(to role: Role) -> ShareState {
        role == .owner ? self : ShareState(participants: participants.compactMap { $0.shownToParticipants })
    }
}
