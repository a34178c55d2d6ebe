import Synchronization
import TrolleyJournal

/// A list's fold, kept between the writes of another program. It is continued by the entries after it.
final class KeptCalendar: Sendable {
    /// How far the list has been read.
    struct End: Sendable {
        let position: Position
        /// The last entry up to there, with the place and the time that the service gave it.
        let last: ConfirmedEntry
    }

    private struct State: Sendable {
        var reading: CalendarReading
        var index: CalendarIndex
        var position: Position
        /// Of the reading.
        var bytes: Int
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - reading: of all live entries.
    ///   - bytes: the memory that it takes.
    init(_ reading: CalendarReading, at position: Position, bytes: Int) {
        state = Mutex(
            State(reading: reading, index: CalendarIndex(reading), position: position, bytes: bytes))
    }

    /// nil: the list has no entries.
    var end: End? {
        state.withLock { state in state.reading.last.map { End(position: state.position, last: $0) } }
    }

    /// About how many bytes it takes.
    var memory: Int { state.withLock { $0.bytes + $0.index.memory } }

    func counter(of device: DeviceID) -> DeviceCounter { state.withLock { $0.reading.counter(of: device) } }

    func withIndex<Value>(_ body: (CalendarReading, CalendarIndex) -> Value) -> Value where Value: Sendable {
        state.withLock { body($0.reading, $0.index) }
    }

    /// Takes the entries after it, and answers from the list as it is then.
    /// - Returns: nil: another task has continued it from elsewhere.
    func spot(for wanted: CalendarWanted, after tail: CalendarTail, of device: DeviceID) -> CalendarSpot? {
        state.withLock { state in
            let position = tail.head.position
            if state.position != position {
                guard state.position == tail.from else { return nil }
                for (entry, bytes) in tail.entries {
                    state.bytes += state.reading.take(entry) + bytes
                    guard entry.entry.operation.concernsItem, let item = entry.entry.item else { continue }
                    state.index.update(item, in: state.reading)
                }
                state.position = position
            }
            let counter = max(state.reading.counter(of: device).last, tail.archivedCounter)
            return CalendarSpot(wanted, on: tail.head, state.reading, state.index, lastCounter: counter)
        }
    }
}

/// What has been added to a list since a kept fold.
struct CalendarTail: Sendable {
    /// Where the fold ended.
    let from: Position
    /// The list now.
    let head: CalendarHead
    /// With the bytes of their fields.
    let entries: [(entry: ConfirmedEntry, bytes: Int)]
    /// The last deviceSequence of the device that asks, among its archived entries.
    let archivedCounter: Int64

    /// - Parameters:
    ///   - found: the live entries from the fold's last one on.
    /// - Returns: nil: the list has changed in another way than by further entries, so the fold can't be continued.
    init?(
        after end: KeptCalendar.End, on head: CalendarHead, _ found: [(entry: ConfirmedEntry, bytes: Int)],
        archivedCounter: Int64
    ) {
        let from = end.position
        // Each change has one sequence. So if there are as many new entries as sequences, there is no other change:
        // no compression, and no entry that was moved. After a restored backup, the entry at the end is another one, even
        // if the epoch is still the same.
        guard head.epoch == from.epoch, found.first?.entry == end.last,
            head.head.rawValue - from.head.rawValue == Int64(found.count - 1),
            found.count == 1 || found[1].entry.sequence > from.head
        else { return nil }
        self.from = from
        self.head = head
        entries = Array(found.dropFirst())
        self.archivedCounter = archivedCounter
    }
}
