/// A change between two states of a list's share, for the Activity on server and device.
public struct ParticipantChange: Hashable, Sendable, Codable {
    public var kind: Kind
    /// The participant as in the newer state or, if missing there, as in the older one.
    public var participant: Participant
    /// For `permissionChanged`: the permission before.
    public var previousPermission: Participant.Permission?

    public init(_ kind: Kind, _ participant: Participant, previousPermission: Participant.Permission? = nil) {
        self.kind = kind
        self.participant = participant
        self.previousPermission = previousPermission
    }

    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case invited, joined, declined, left, removed, permissionChanged
        /// The person became the owner; the previous owner is now a participant.
        case becameOwner
        /// The invitation of a person who wasn't on the list was withdrawn, or has expired.
        case invitationEnded
        /// The person left by deleting their account.
        case accountDeleted
    }
}

extension ShareState {
    /// The changes since an older state (nil: the list was not shared), in the order of this state's participants, then
    /// of those who are missing.
    ///
    /// A person who was on the list has left if their status is now `left` or `invited`. A person who is missing was
    /// removed by the owner. An owner neither joins nor leaves, but a participant can become the owner.
    public func changes(since older: ShareState?) -> [ParticipantChange] {
        var known = KnownParticipants(older?.participants ?? [])
        let owner = older?.participants.first { $0.role == .owner }
        var changes: [ParticipantChange] = []
        for participant in participants {
            let before = known.take(participant)
            if participant.role == .owner {
                // A person who proves ownership of a lost list was not on it before.
                let wasAnothers = owner.map { !$0.isSamePerson(as: participant) } ?? false
                if before.map({ $0.role != .owner }) ?? wasAnothers {
                    changes.append(ParticipantChange(.becameOwner, participant))
                }
                continue
            }
            if let kind = participant.change(since: before?.status) {
                changes.append(ParticipantChange(kind, participant))
            }
            if let before, before.role != .owner, before.isOnList, participant.isOnList,
                before.permission != participant.permission
            {
                changes.append(
                    ParticipantChange(.permissionChanged, participant, previousPermission: before.permission))
            }
        }
        return changes
            + known.rest.filter { $0.role != .owner && $0.isOnList }.map {
                ParticipantChange($0.status == .accepted ? .removed : .invitationEnded, $0)
            }
    }
}

extension Participant {
    fileprivate func change(since before: Status?) -> ParticipantChange.Kind? {
        switch (before, status) {
        case (.accepted, .accepted), (.invited, .invited): nil
        case (_, .accepted): .joined
        case (.accepted, .left) where accountDeleted == true: .accountDeleted
        case (.accepted, .invited), (.accepted, .left), (.accepted, .declined): .left
        case (_, .invited): .invited
        case (.invited, .declined): .declined
        case (.invited, .left): accountDeleted == true ? .invitationEnded : .declined
        case (_, .left), (_, .declined): nil
        }
    }
}
