import TrolleyJournal

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A hint of the service's event stream. It says that something is new, never what.
enum ServiceHint: Hashable {
    /// A list has changes, or has come or gone.
    case changes
    /// Other people have opened or closed the list, or the account has read it elsewhere.
    case presence(ListID)
    /// The account keeps a list elsewhere among its own.
    case placed
    /// There is a new summary.
    case summary
    /// Another device invites this one to the list's room.
    case hail(ListID)

    /// - Returns: nil for an event that this version doesn't know.
    init?(_ event: EventStreamParser.Event) {
        switch event.name {
        case "changed", "gone", "sync": self = .changes
        case "placed": self = .placed
        case "summary": self = .summary
        case "presence", "hail":
            guard let list = try? JSONDecoder().decode(Concerned.self, from: Data(event.data.utf8)).list else {
                return nil
            }
            self = event.name == "hail" ? .hail(list) : .presence(list)
        default: return nil
        }
    }

    private struct Concerned: Decodable { var list: ListID }
}
