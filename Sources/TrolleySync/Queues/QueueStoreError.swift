public import TrolleyJournal

/// Why a store could not carry out a call.
public enum QueueStoreError: Error, Hashable, Sendable {
    /// The device has no such list.
    case noSuchList(ListID)
    /// The file can't be read: wrong key, or damaged.
    case unreadable(String)
    /// Another process has held the store for too long.
    case busy
    /// The storage failed: it is full, read-only or missing.
    case failed(String)
}

extension QueueStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchList(let list): "There is no list \(list) on this device."
        case .unreadable(let what): "This device's files can't be read: \(what)."
        case .busy: "Another program holds this device's files; try again."
        case .failed(let what): "This device's files can't be used: \(what)."
        }
    }
}
