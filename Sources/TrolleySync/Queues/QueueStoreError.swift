public import TrolleyJournal

/// Why a store could not do what it was asked.
public enum QueueStoreError: Error, Hashable, Sendable {
    /// There is no such list on the device.
    case noSuchList(ListID)
    /// The file is there but can't be read: wrong key, or damaged.
    case unreadable(String)
    /// Another process holds the store for too long.
    case busy
    /// The storage failed: full, read-only, gone.
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
