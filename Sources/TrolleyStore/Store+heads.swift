public import TrolleyJournal
import TrolleyPostgres

/// How a list stands, for a device that waits for hints.
public struct ListHead: Hashable, Sendable {
    /// The list's newest change.
    public let sequence: SequenceNumber
    /// Stands for who else has the list open: another one is another text, nobody is nil.
    public let company: String?
    /// How far the device's account has read.
    public let read: SequenceNumber?

    public init(sequence: SequenceNumber, company: String? = nil, read: SequenceNumber? = nil) {
        self.sequence = sequence
        self.company = company
        self.read = read
    }
}

/// Who has changed a list, and up to where.
public struct ListAuthor: Hashable, Sendable {
    public let list: ListID
    /// nil: not a device; the share changed, or compression was here.
    public let device: DeviceID?
    /// The newest change of theirs.
    public let newest: SequenceNumber
}

extension Store {
    /// The channel on which processes tell each other that something changed, and nothing more.
    public static let changesChannel = "trolley_changes"

    /// The heads of each device's lists. Devices that are signed out are not in the answer.
    public func heads(of devices: [DeviceID]) async throws(StoreError) -> [DeviceID: [ListID: ListHead]] {
        let rows = try await all(HeadSQL.ofDevices, [devices]) { row throws(PostgresError) in
            try row.decode((DeviceID, ListID?, SequenceNumber?, String?, SequenceNumber?).self)
        }
        var heads: [DeviceID: [ListID: ListHead]] = [:]
        for (device, list, head, company, read) in rows {
            let head = ListHead(sequence: head ?? .start, company: company, read: read)
            heads[device, default: [:]].merge(list.map { [$0: head] } ?? [:]) { $1 }
        }
        return heads
    }

    /// Who made the changes of each list that follow the given sequence.
    public func authors(after known: [ListID: SequenceNumber]) async throws(StoreError) -> [ListAuthor] {
        try await all(HeadSQL.authors, [Array(known.keys), Array(known.values)]) { row throws(PostgresError) in
            let (list, device, newest) = try row.decode((ListID, DeviceID?, SequenceNumber).self)
            return ListAuthor(list: list, device: device, newest: newest)
        }
    }

    /// Tells the other processes that something changed.
    /// - Parameter sender: names this process, which need not listen to itself.
    public func notifyOthers(as sender: String) async throws(StoreError) {
        try await execute(HeadSQL.notify, [sender])
    }
}
