public import TrolleyJournal

/// The file with all of a person's lists, for archiving or for another service: `{"format": "trolley-export",
/// "version": 1, …, "lists": […], "complete": true}`. It is written list by list, so that it never has to be in memory.
/// `complete` comes last, so that a truncated file is recognised.
public enum Export {
    public static let format = "trolley-export"
    public static let version: Int64 = 1

    /// The bytes before the first list.
    /// - Parameter notifications: what the person wants to be told, and where.
    public static func opening(
        account: AccountResponse, notifications: ExportedNotifications? = nil, at now: Timestamp
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("format", format)
            writer.member("version", version)
            writer.member("exportedAt", now)
            writer.member("account") { writer in
                writer.member("id", account.id)
                writer.member("email", account.email)
                writer.member("name", account.name)
            }
            if let notifications { writer.member("notifications") { notifications.write(to: &$0) } }
            writer.key("lists")
            writer.array { _ in }
        }
        // Without the two closing brackets.
        return writer.bytes.dropLast(2)
    }

    /// The bytes after the last list.
    public static let closing = Array(#"],"complete":true}"#.utf8)
}

/// The members of a list in the file besides its state and journal: the share, and when the list was created.
public struct ExportedSharing: Hashable, Sendable {
    public var list: ListResponse
    public var share: ShareState

    public init(list: ListResponse, share: ShareState) {
        self.list = list
        self.share = share
    }

    /// Writes the members into an open object, and opens the array of the journal's entries: everything that ever
    /// happened to the list, in order, as it was sent.
    public func writeBeforeJournal(to writer: inout JSONWriter) {
        writer.member("role", list.role)
        writer.member("permission", list.permission)
        writer.member("createdAt", list.createdAt)
        share.writeMembers(to: &writer)
        writer.key("journal")
        writer.begin(UInt8(ascii: "["))
    }

    /// Closes the array and the list's object.
    public func writeEnd(to writer: inout JSONWriter) {
        writer.end(UInt8(ascii: "]"))
        writer.end(UInt8(ascii: "}"))
    }
}

/// A complete list in the file.
public struct ExportedList: Hashable, Sendable {
    public var list: ListResponse
    public var state: StateResponse
    public var share: ShareState
    /// Everything that ever happened to the list, in order, as it was sent.
    public var journal: [ConfirmedEntry]

    public init(list: ListResponse, state: StateResponse, share: ShareState, journal: [ConfirmedEntry]) {
        self.list = list
        self.state = state
        self.share = share
        self.journal = journal
    }

    public var json: [UInt8] {
        let outline = state.outline
        let sharing = ExportedSharing(list: list, share: share)
        var writer = JSONWriter(capacity: 1024 + 512 * journal.count)
        outline.writeBeginning(to: &writer)
        for item in state.state.items { item.write(to: &writer) }
        outline.writeEndOfItems(to: &writer)
        sharing.writeBeforeJournal(to: &writer)
        for entry in journal { entry.write(to: &writer) }
        sharing.writeEnd(to: &writer)
        return writer.bytes
    }
}

/// The part of the file that an import uses: each list's state and messages. The rest of the history is only for reading,
/// because its authors can't be verified in another service.
public struct ImportDocument: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var state: ListState
        /// The messages that were not deleted, in order.
        public var messages: [Message] = []
        /// The names of the people of the list, as far as the file has them.
        public var names: [AccountID: String] = [:]
    }

    public var lists: [List]

    /// - Throws: `WireError`, when any part can't be read. Then nothing should be imported.
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in try ImportDocument(from: &reader) }
    }

    private init(from reader: inout JSONReader) throws(WireError) {
        lists = []
        var format: String?
        var version: Int64 = 0
        var isComplete = false
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "format": format = try reader.string()
            case "version":
                version = try reader.integer()
                guard version <= Export.version else {
                    throw .invalid(
                        "it is of version \(version), and this program knows up to \(Export.version): update it")
                }
            case "lists":
                guard format == Export.format, version > 0 else { throw Self.noExport }
                lists = try reader.array()
            case "complete": isComplete = try reader.bool()
            default: try reader.skip()
            }
        }
        guard format == Export.format, version > 0 else { throw Self.noExport }
        guard isComplete else { throw .invalid("it is cut off: export again") }
    }

    private static var noExport: WireError {
        .invalid("this is no export of Trolley's: it doesn't begin with the format and the version")
    }
}

extension ImportDocument.List: JSONReadable {
    init(from reader: inout JSONReader) throws(WireError) {
        var id: ListID?
        var digest: String?
        var state = ListState()
        var participants: [Participant] = []
        var entries: [ConfirmedEntry] = []
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "id": id = try reader.identifier()
            case "name": state.name = try reader.optional()
            case "colour": state.colour = try reader.optional()
            case "aisles": state.aisles = try reader.array()
            case "shops": state.shops = try reader.array()
            case "digest": digest = try reader.string()
            case "items": state.items = try reader.array()
            case "participants": participants = try reader.array()
            case "journal":
                try reader.beginArray()
                while try reader.nextElement() {
                    let entry = try ConfirmedEntry(from: &reader)
                    if entry.entry.operation.concernsMessages { entries.append(entry) }
                }
            default: try reader.skip()
            }
        }
        guard let id else { throw .invalid("a list without id") }
        self.init(id: id, state: state, messages: Conversation(folding: entries).messages())
        for person in participants { if let account = person.account { names[account] = person.name } }
        guard digest == nil || digest == state.digest.description else {
            throw .invalid("list \(id) is not what it was when it was exported: its digest is another")
        }
    }
}

extension Item {
    public init(from reader: inout JSONReader) throws(WireError) {
        var id: ItemID?
        var markedOff = false
        var fields: Fields = [:]
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "id": id = try reader.identifier()
            case "markedOff": markedOff = try reader.bool()
            case "fields": fields = try Fields(from: &reader)
            default: try reader.skip()
            }
        }
        guard let id else { throw .invalid("an item without id") }
        self.init(id: id, markedOff: markedOff, fields: fields)
    }
}
