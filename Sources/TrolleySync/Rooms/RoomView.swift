public import TrolleyJournal
public import TrolleyWire

/// What the others in a room do right now. It is shown beside the list, never folded into it.
public struct RoomView: Hashable, Sendable {
    /// The others in the room.
    public internal(set) var members: [DeviceID: AccountID] = [:]
    /// The item that each device's person looks at.
    public internal(set) var looking: [DeviceID: Focus] = [:]
    /// What each device's person types.
    public internal(set) var typing: [DeviceID: Focus] = [:]
    /// The others' changes that are not in the journal yet, oldest first.
    public internal(set) var tentative: [Tentative] = []

    public init() {}

    /// A place on the list.
    public struct Focus: Hashable, Sendable {
        public var account: AccountID
        /// nil: no item in particular; for typing, a new item.
        public var item: ItemID?
        /// When it is no longer shown.
        public var until: Timestamp
    }

    /// Somebody else's change, shown greyed.
    public struct Tentative: Hashable, Sendable {
        public var change: TentativeChange
        public var member: RoomMember
        /// When it is no longer shown.
        public var until: Timestamp
    }

    /// Milliseconds for which each is shown without news. Devices repeat `looking` after half of the time.
    public static let lookingTime: Int64 = 60_000
    public static let typingTime: Int64 = 6_000
    public static let tentativeTime: Int64 = 15_000
    /// Tentative changes of one device; a further one replaces the oldest.
    public static let maximumTentative = 50

    /// The next moment at which something is no longer shown.
    public var nextExpiry: Timestamp? {
        var next: Timestamp?
        func note(_ time: Timestamp) { if next.map({ time < $0 }) ?? true { next = time } }
        for focus in looking.values { note(focus.until) }
        for focus in typing.values { note(focus.until) }
        for change in tentative { note(change.until) }
        return next
    }
}

extension RoomView {
    mutating func note(_ frame: RoomFrame, from member: RoomMember, at now: Timestamp) {
        members[member.device] = member.account
        switch frame {
        case .looking(let item):
            looking[member.device] = Focus(
                account: member.account, item: item, until: now.advanced(byMilliseconds: Self.lookingTime))
        case .typing(let item):
            typing[member.device] = Focus(
                account: member.account, item: item, until: now.advanced(byMilliseconds: Self.typingTime))
        case .tentative(let change): note(change, from: member, at: now)
        case .withdrawn(let entry): tentative.removeAll { $0.change.entry == entry && $0.member == member }
        case .landed, .unknown: break
        }
    }

    private mutating func note(_ change: TentativeChange, from member: RoomMember, at now: Timestamp) {
        typing[member.device] = nil
        tentative.removeAll { $0.change.entry == change.entry }
        if tentative.count(where: { $0.member.device == member.device }) >= Self.maximumTentative,
            let oldest = tentative.firstIndex(where: { $0.member.device == member.device })
        {
            tentative.remove(at: oldest)
        }
        tentative.append(
            Tentative(
                change: change, member: member, until: now.advanced(byMilliseconds: Self.tentativeTime)))
    }

    mutating func remove(_ device: DeviceID) {
        members[device] = nil
        looking[device] = nil
        typing[device] = nil
        tentative.removeAll { $0.member.device == device }
    }

    /// - Returns: whether anything is no longer shown.
    mutating func expire(at now: Timestamp) -> Bool {
        let count = looking.count + typing.count + tentative.count
        looking = looking.filter { $0.value.until > now }
        typing = typing.filter { $0.value.until > now }
        tentative.removeAll { $0.until <= now }
        return looking.count + typing.count + tentative.count != count
    }
}
