package import TrolleyJournal
import TrolleyPostgres

/// Work on the rows of earlier versions that a migration leaves to the background (`docs/decisions/3107`). The service is right
/// before it is done, and faster afterwards.
enum Backfill: String, CaseIterable, Sendable {
    /// The types of events (`event.type`).
    case eventType = "event_type"
    /// When each list's newest change was received (`list.mark`).
    case listMark = "list_mark"

    /// Completes one list. Safe to repeat.
    var statement: Statement {
        switch self {
        case .eventType: BackfillSQL.eventType
        case .listMark: BackfillSQL.listMark
        }
    }
}

/// How far a backfill is.
package struct BackfillProgress: Hashable, Sendable, CustomStringConvertible {
    package let name: String
    /// The lists up to this one are done.
    let after: ListID
    /// The number of lists that are done.
    package let lists: Int64
    /// The number of all lists when it began; nil: it hasn't begun.
    package let ofLists: Int64?
    /// When it last went on.
    package let movedAt: Timestamp
    package let isFinished: Bool

    init(row: Row) throws(PostgresError) {
        (name, after, lists, ofLists, movedAt, isFinished) = try row.decode(
            (String, ListID, Int64, Int64?, Timestamp, Bool).self)
    }

    package var description: String {
        if isFinished { return "backfill \(name) is finished" }
        guard let ofLists else { return "backfill \(name) has not begun" }
        // More may be done than were counted: lists that were made since, or all, if the count failed.
        let all = lists <= ofLists ? " of \(ofLists)" : ""
        return "backfill \(name) has done \(lists)\(all) lists"
    }
}
