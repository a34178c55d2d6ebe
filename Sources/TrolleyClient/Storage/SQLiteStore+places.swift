import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The parts of a list's place, each of which is as the service heard it last.
struct PlaceParts: OptionSet, Sendable {
    let rawValue: Int

    static let pinned = PlaceParts(rawValue: 1)
    static let archived = PlaceParts(rawValue: 2)
    static let rank = PlaceParts(rawValue: 4)

    /// The parts in which two places differ.
    init(from old: ListPlace, to new: ListPlace) {
        self = []
        if old.pinned != new.pinned { insert(.pinned) }
        if old.archived != new.archived { insert(.archived) }
        if old.rank != new.rank { insert(.rank) }
    }

    init(rawValue: Int) { self.rawValue = rawValue }
}

/// What of a list's place the service has not been told.
struct UntoldPlace: Sendable {
    var list: ListID
    var place: ListPlace
    var parts: PlaceParts

    var request: ChangePlaceRequest {
        ChangePlaceRequest(
            pinned: parts.contains(.pinned) ? place.pinned : nil,
            archived: parts.contains(.archived) ? place.archived : nil,
            rank: parts.contains(.rank) ? place.rank : nil)
    }
}

extension SQLiteStore {
    /// Changes where the account keeps a list.
    func changePlace(of list: ListID, _ change: @escaping @Sendable (inout ListPlace) -> Void)
        async throws(QueueStoreError)
    {
        try await write { transaction in
            let row = try transaction.list(list)
            var place = row.place
            change(&place)
            try transaction.keep(place, of: row)
        }
    }

    /// Moves a list before or behind another one; nil: before all.
    func move(_ list: ListID, _ side: ListSide, _ other: ListID?) async throws(QueueStoreError) {
        try await write { transaction in
            let row = try transaction.list(list)
            var rows = try transaction.lists().filter {
                $0.id != list && $0.place.pinned == row.place.pinned && $0.place.archived == row.place.archived
            }
            rows.sort { ListPlace.precedes(($0.id, $0.place), ($1.id, $1.place)) }
            var index = 0
            if let other {
                let known = try transaction.list(other)
                // Pinned and archived lists stand apart. Beside a list from elsewhere, it comes first or last.
                index =
                    rows.firstIndex { $0.id == other }.map { side == .before ? $0 : $0 + 1 }
                    ?? (ListPlace.precedes((other, known.place), (list, row.place)) ? 0 : rows.count)
            }
            let ranks = ListPlace.ranks(moving: list, to: index, among: rows.map { ($0.id, $0.place) })
            for (id, rank) in ranks {
                let moved = try transaction.list(id)
                var place = moved.place
                place.rank = rank
                try transaction.keep(place, of: moved)
            }
        }
    }

    /// What the service has not been told, of lists that are there.
    func untoldPlaces() async throws(QueueStoreError) -> [UntoldPlace] {
        try await read { transaction in
            try transaction.lists().filter { $0.published && !$0.local && $0.placeUntold != [] }.map {
                UntoldPlace(list: $0.id, place: $0.place, parts: $0.placeUntold)
            }
        }
    }

    /// Stores a place as the service has it. What was changed here and not told stays.
    /// - Parameter told: what the service has just been told; nil: nothing.
    func notePlace(
        of list: ListID, as answer: ListPlace, after told: UntoldPlace? = nil
    ) async throws(QueueStoreError) {
        try await write { transaction in
            guard let row = try transaction.find(list) else { return }
            // What was changed again since has not been told.
            let untold =
                told.map { row.placeUntold.subtracting($0.parts).union(PlaceParts(from: $0.place, to: row.place)) }
                ?? row.placeUntold
            var place = answer
            if untold.contains(.pinned) { place.pinned = row.place.pinned }
            if untold.contains(.archived) { place.archived = row.place.archived }
            if untold.contains(.rank) { place.rank = row.place.rank }
            if place == row.place, untold == row.placeUntold { return }
            try transaction.set(place, untold: untold, of: row)
        }
    }
}

extension StoreTransaction {
    /// Stores a place that the person has chosen.
    fileprivate func keep(_ place: ListPlace, of list: ListRow) throws {
        let changed = PlaceParts(from: list.place, to: place)
        if changed != [] { try set(place, untold: list.placeUntold.union(changed), of: list) }
    }

    fileprivate func set(_ place: ListPlace, untold: PlaceParts, of list: ListRow) throws {
        try db.execute(
            sql: "UPDATE list SET pinned = ?, archived = ?, rank = ?, place_untold = ? WHERE key = ?",
            arguments: [place.pinned, place.archived, place.rank, untold.rawValue, list.key])
    }
}
