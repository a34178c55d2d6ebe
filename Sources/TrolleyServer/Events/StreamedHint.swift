import TrolleyJournal

/// A hint as it is sent.
struct StreamedHint: Hashable, Sendable {
    /// `sync`, `changed`, `gone`, `presence`, `placed`, `hail` or `summary`.
    let name: String
    /// nil for `sync`.
    var list: ListID?
    /// For `changed`.
    var sequence: SequenceNumber?

    /// JSON.
    var data: String {
        switch (list, sequence) {
        case (let list?, let sequence?): #"{"list":"\#(list)","sequence":\#(sequence.rawValue)}"#
        case (let list?, nil): #"{"list":"\#(list)"}"#
        case (nil, _): "{}"
        }
    }
}

/// A hint that a list has changed. It never contains the change.
enum Hint: Hashable, Sendable {
    /// The list has changes up to this sequence.
    case changed(SequenceNumber)
    /// The device can no longer see the list. The next fetch says why.
    case gone

    var name: String {
        switch self {
        case .changed: "changed"
        case .gone: "gone"
        }
    }

    var sequence: SequenceNumber? {
        switch self {
        case .changed(let head): head
        case .gone: nil
        }
    }
}
