import Synchronization
import TrolleyJournal

/// The folds of the lists that other programs have written to last. They take only memory that nothing else needs.
final class KeptCalendars: Sendable {
    private struct Kept {
        let calendar: KeptCalendar
        var bytes: Int
        /// The higher, the later it was used.
        var use: Int64
    }

    private struct State {
        var lists: [ListID: Kept] = [:]
        var bytes = 0
        var uses: Int64 = 0

        mutating func remove(_ list: ListID) { bytes -= lists.removeValue(forKey: list)?.bytes ?? 0 }

        /// Removes those that were used longest ago.
        mutating func shrink(to most: Int, count: Int) {
            while bytes > most || lists.count > count {
                guard let oldest = lists.min(by: { $0.value.use < $1.value.use }) else { return }
                remove(oldest.key)
            }
        }
    }

    /// The largest number of lists.
    static let maxLists = 64
    /// The largest number of bytes.
    static let maxBytes = 32 << 20

    /// The largest number of bytes of this process.
    let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = min(most, Self.maxBytes) }

    var count: Int { state.withLock { $0.lists.count } }
    var bytes: Int { state.withLock { $0.bytes } }

    subscript(list: ListID) -> KeptCalendar? { state.withLock { $0.lists[list]?.calendar } }

    /// Keeps a list's fold, as the one that was used last.
    /// - Parameter room: the number of bytes that nothing else needs.
    func keep(_ calendar: KeptCalendar, of list: ListID, room: Int) {
        let bytes = calendar.memory
        state.withLock { state in
            state.remove(list)
            state.uses += 1
            state.lists[list] = Kept(calendar: calendar, bytes: bytes, use: state.uses)
            state.bytes += bytes
            state.shrink(to: min(most, room), count: Self.maxLists)
        }
    }

    func remove(_ list: ListID) { state.withLock { $0.remove(list) } }

    /// - Parameter room: the number of bytes that nothing else needs.
    func shrink(to room: Int) {
        guard room < most else { return }
        state.withLock { $0.shrink(to: room, count: Self.maxLists) }
    }
}
