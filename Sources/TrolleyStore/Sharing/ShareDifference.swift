import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// What has changed between two states of a list's share. A share of a hundred people takes some 30 KB, and most changes
/// concern one of them.
struct ShareDifference: Hashable {
    /// A participant, and their index in the state.
    struct Place: Hashable {
        let index: Int
        let participant: Participant
    }

    /// The participants of the older state that the newer one doesn't have in the same form, by ascending index.
    let before: [Place]
    /// The participants of the newer state that the older one doesn't have in the same form, by ascending index.
    let after: [Place]

    init(before: [Place], after: [Place]) { (self.before, self.after) = (before, after) }

    init(from older: ShareState, to newer: ShareState) {
        let (old, new) = (Set(older.participants), Set(newer.participants))
        let kept = older.participants.filter(new.contains)
        // Without doubles and in the same order; otherwise the difference is everything.
        let isSameOrder = kept == newer.participants.filter(old.contains) && Set(kept).count == kept.count
        func places(of state: ShareState, without known: Set<Participant>) -> [Place] {
            state.participants.enumerated().compactMap { index, participant in
                isSameOrder && known.contains(participant) ? nil : Place(index: index, participant: participant)
            }
        }
        self.init(before: places(of: older, without: new), after: places(of: newer, without: old))
    }

    /// The newer state.
    /// - Returns: nil when the difference is from another state.
    func applied(to older: ShareState) -> ShareState? {
        var participants = older.participants
        for place in before.reversed() {
            guard participants.indices.contains(place.index) else { return nil }
            participants.remove(at: place.index)
        }
        for place in after {
            guard (0...participants.count).contains(place.index) else { return nil }
            participants.insert(place.participant, at: place.index)
        }
        return ShareState(participants: participants)
    }

    func mapped(_ change: (Participant) -> Participant) -> ShareDifference {
        func mapped(_ places: [Place]) -> [Place] {
            places.map { Place(index: $0.index, participant: change($0.participant)) }
        }
        return ShareDifference(before: mapped(before), after: mapped(after))
    }

    /// The same as ``ShareState/changes(since:)`` of the whole states: a participant who is in both in the same form
    /// changes nothing.
    func changes(shownTo role: Role) -> [ParticipantChange] {
        func state(_ places: [Place]) -> ShareState {
            ShareState(participants: places.map(\.participant)).shown(to: role)
        }
        return state(after).changes(since: state(before))
    }
}

// As it is stored: {"before": {"participants": […]}, "beforeAt": [indices], "after": …, "afterAt": …}.
extension ShareDifference {
    var column: PostgresJSON {
        var writer = JSONWriter()
        writer.object { writer in
            for (name, places) in [("before", before), ("after", after)] {
                writer.key(name)
                ShareState(participants: places.map(\.participant)).write(to: &writer)
                writer.key("\(name)At")
                writer.array { writer in
                    for place in places { writer.integer(Int64(place.index)) }
                }
            }
        }
        return PostgresJSON(String(decoding: writer.bytes, as: UTF8.self))
    }

    init(column: String) throws(PostgresError) {
        var states: [String: [Participant]] = [:]
        var indices: [String: [Int]] = [:]
        do {
            try JSONReader.read(column.utf8) { (reader) throws(WireError) in
                try reader.beginObject()
                while let key = try reader.nextKey() {
                    switch key {
                    case "before": states["before"] = try ShareState(from: &reader).participants
                    case "after": states["after"] = try ShareState(from: &reader).participants
                    case "beforeAt": indices["before"] = try reader.indices()
                    case "afterAt": indices["after"] = try reader.indices()
                    default: try reader.skip()
                    }
                }
            }
        } catch {
            throw PostgresError(.decoding, "a difference between states of a share can't be read")
        }
        func places(_ name: String) throws(PostgresError) -> [Place] {
            let (state, index) = (states[name] ?? [], indices[name] ?? [])
            guard state.count == index.count else {
                throw PostgresError(.decoding, "a difference between states of a share is incomplete")
            }
            return zip(index, state).map { Place(index: $0, participant: $1) }
        }
        self.init(before: try places("before"), after: try places("after"))
    }
}

extension JSONReader {
    fileprivate mutating func indices() throws(WireError) -> [Int] {
        var indices: [Int] = []
        try beginArray()
        while try nextElement() { indices.append(Int(truncatingIfNeeded: try integer())) }
        return indices
    }
}
