public import TrolleyJournal

/// A file that can be compared: the diagnostics of a device or of the service, or entries alone.
public struct Dump: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        /// nil in a file of entries alone.
        public var id: ListID?
        /// This side has all changes up to this sequence.
        public var through: SequenceNumber
        /// The digest at that sequence; nil when the file lacks it.
        public var digest: StateDigest?
        public var entries: [DumpedEntry]
        /// The number of entries that are not in the file, all older than those that are.
        public var omitted: Int

        /// All entries with their content, if the file contains it.
        public var content: [ConfirmedEntry]? {
            let content = entries.compactMap { $0.content }
            return content.count == entries.count && omitted == 0 ? content : nil
        }
    }

    /// A description of the side that made the file.
    public var source: String
    public var lists: [List]

    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in try Dump(from: &reader) }
    }

    private init(from reader: inout JSONReader) throws(WireError) {
        var kind: String?
        var device: String?
        var lists: [List]?
        var entries: [ConfirmedEntry]?
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "kind": kind = try reader.string()
            case "device": device = try reader.optional()
            case "lists": lists = try reader.array()
            case "entries": entries = try reader.array()
            default: try reader.skip()
            }
        }
        if let entries {
            source = "entries"
            self.lists = [List(entries)]
            return
        }
        guard let lists else {
            throw .invalid("there are neither lists nor entries in it: this is no dump of Trolley's")
        }
        source = kind == "service" ? "the service" : device.map { "device \($0)" } ?? "a device"
        self.lists = lists
    }
}

extension Dump.List: JSONReadable {
    /// A file of entries alone.
    init(_ entries: [ConfirmedEntry]) {
        id = nil
        through = entries.map { $0.sequence }.max() ?? .start
        digest = ListState(folding: entries).digest
        self.entries = entries.map { DumpedEntry($0, withContent: true) }
        omitted = 0
    }

    init(from reader: inout JSONReader) throws(WireError) {
        through = .start
        entries = []
        omitted = 0
        try reader.object { key, reader throws(WireError) in
            if try reader.null() { return }
            switch key {
            case "id": id = try reader.identifier()
            case "through", "head": through = SequenceNumber(rawValue: try reader.integer())
            case "digest":
                guard let digest = StateDigest(try reader.string()) else { throw .invalid("digest: not 32 digits") }
                self.digest = digest
            case "entries": entries = try reader.array()
            case "entriesOmitted": omitted = Int(clamping: try reader.integer())
            default: try reader.skip()
            }
        }
        guard id != nil else { throw .invalid("a list of the dump has no id") }
    }
}
