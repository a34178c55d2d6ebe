import Synchronization
import TrolleyJournal

/// Gestures in which other people have decided everything since. A program that wanted to take one back was told so, and its next
/// undo goes on with the gesture before. A device stores that; here it is forgotten with the process, and then told once more.
final class PassedGestures: Sendable {
    private struct Key: Hashable {
        let device: DeviceID
        let list: ListID
    }

    private struct State {
        var entries: [Key: Set<EntryID>] = [:]
        var count = 0
    }

    /// The largest number of entries. With more, all are forgotten.
    private let most: Int
    private let state = Mutex(State())

    init(most: Int = 10_000) { self.most = most }

    /// The entries of a device's gestures on a list.
    func entries(of device: DeviceID, on list: ListID) -> Set<EntryID> {
        state.withLock { $0.entries[Key(device: device, list: list)] ?? [] }
    }

    func note(_ gesture: [EntryID], of device: DeviceID, on list: ListID) {
        if gesture.isEmpty { return }
        state.withLock { state in
            if state.count + gesture.count > most { state = State() }
            state.count += gesture.count
            state.entries[Key(device: device, list: list), default: []].formUnion(gesture)
        }
    }
}
