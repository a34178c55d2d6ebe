import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// A list as a hosted device has it.
struct HostedListRow {
    var id: ListID
    var token: String?
    var staging: Bool
    var through: SequenceNumber
    var lastPosition: Int64
    /// When the last fetch came.
    var received: Timestamp?
    /// Whether the service has the list.
    var isPublished: Bool
    /// The list's name, and when its latest change was made; see ``isSummed``.
    var name: String?
    var latest: Timestamp?
    /// Whether ``name`` and ``latest`` cover all received changes.
    var isSummed: Bool
    /// Whether the list was fetched: its content is here, up to some change.
    var isFetched: Bool { through > .start || (token != nil && !staging) }

    /// - Parameter row: of `HostedQueueSQL.list`.
    init(row: Row) throws {
        var name: String?
        (id, token, staging, through, lastPosition, received, isPublished, name, latest, isSummed) = try row.decode(
            (ListID, String?, Bool, SequenceNumber, Int64, Timestamp?, Bool, String?, Timestamp?, Bool).self)
        self.name = try name.map(String.init(column:))
    }
}

/// The name of one of a hosted device's lists.
struct HostedListName {
    var id: ListID
    var name: String?
    /// Whether ``name`` covers all received changes.
    var isKnown: Bool

    /// - Parameter row: of `HostedQueueSQL.lists`.
    init(row: Row) throws {
        var name: String?
        (id, name, isKnown) = try row.decode((ListID, String?, Bool).self)
        self.name = try name.map(String.init(column:))
    }
}

extension String {
    /// - Parameter column: a JSON string.
    fileprivate init(column: String) throws(WireError) {
        self = try JSONReader.read(column.utf8) { reader throws(WireError) in try reader.string() }
    }
}
