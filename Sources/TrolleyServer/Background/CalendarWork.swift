import Synchronization
import TrolleyJournal

/// The lists on which registered programs may have something to be told.
final class CalendarWork: Sendable {
    struct Due: Sendable {
        /// Any list may have changed.
        var isWhole = false
        var lists: Set<ListID> = []

        var isEmpty: Bool { !isWhole && lists.isEmpty }
    }

    private struct State {
        var due = Due()
        var isFollowed = false
    }

    /// With more lists, all registrations are looked at.
    private static let most = 1000

    private let state = Mutex(State())
    let wake = Wake()

    /// Begins to collect work.
    func follow() { state.withLock { $0.isFollowed = true } }

    /// Ends collecting.
    func ignore() { state.withLock { $0 = State() } }

    /// What was collected since the last call.
    func take() -> Due {
        state.withLock { state in
            defer { state.due = Due() }
            return state.due
        }
    }

    func noteAll() { note(Due(isWhole: true)) }

    func note(_ list: ListID) { note(Due(lists: [list])) }

    func note(_ more: Due) {
        let isNews = state.withLock { state in
            guard state.isFollowed, !more.isEmpty else { return false }
            state.due.isWhole = state.due.isWhole || more.isWhole
            state.due.lists.formUnion(more.lists)
            if state.due.isWhole || state.due.lists.count > Self.most { state.due = Due(isWhole: true) }
            return true
        }
        if isNews { wake.request() }
    }
}
