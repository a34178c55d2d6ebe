import Synchronization
import TrolleyJournal

/// Who may append to a list now: a few at a time, the others in turn, and no more of them than a list can have dealt
/// with while they wait.
///
/// Whoever waits for a list's lock holds a connection meanwhile; so they wait here first, where it costs none, and a hot
/// list doesn't starve the others. Processes meet at the lock only, whose wait has a limit too.
final class ListTurns: Sendable {
    struct Options: Hashable, Sendable {
        /// One that appends, and one that stands behind it with its reading done.
        var atOnce = 2
        var waiting = 100
        var patience: Duration = .seconds(5)
    }

    private struct Line {
        var active = 0
        var waiting: [(id: Int, turn: CheckedContinuation<Bool, Never>)] = []
    }

    private struct State {
        var lines: [ListID: Line] = [:]
        var lastID = 0
    }

    private let options: Options
    private let state = Mutex(State())

    init(_ options: Options = Options()) { self.options = options }

    /// Runs `body` when it is the caller's turn.
    /// - Throws: `.listBusy` when too many wait, or it took too long.
    func withTurn<Value>(
        at list: ListID, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard await begin(list) else { throw .listBusy }
        defer { end(list) }
        return try await body()
    }

    private func begin(_ list: ListID) async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { turn in
            let isIn: Bool? = state.withLock { state in
                var line = state.lines[list] ?? Line()
                defer { state.lines[list] = line }
                if line.active < options.atOnce {
                    line.active += 1
                    return true
                }
                if line.waiting.count >= options.waiting { return false }
                line.waiting.append((id, turn))
                return nil
            }
            if let isIn { return turn.resume(returning: isIn) }
            timer = Task {
                try await Task.sleep(for: options.patience)
                giveUp(id, list)
            }
        }
    }

    private func giveUp(_ id: Int, _ list: ListID) {
        let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let index = state.lines[list]?.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.lines[list]?.waiting.remove(at: index).turn
        }
        turn?.resume(returning: false)
    }

    private func end(_ list: ListID) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard var line = state.lines[list] else { return nil }
            if !line.waiting.isEmpty {
                // The place goes on to the one that waits longest.
                let next = line.waiting.removeFirst().turn
                state.lines[list] = line
                return next
            }
            line.active -= 1
            state.lines[list] = line.active == 0 ? nil : line
            return nil
        }
        next?.resume(returning: true)
    }
}
