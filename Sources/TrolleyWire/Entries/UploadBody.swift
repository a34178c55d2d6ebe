public import TrolleyJournal

/// The body of an upload, as the service reads it. An invalid entry gets its own verdict and doesn't invalidate the
/// request.
public struct UploadBody: Hashable, Sendable {
    public enum Item: Hashable, Sendable {
        case valid(UploadEntry)
        case rejected(UploadResult)
    }

    public var items: [Item]
    public var atomic: Bool
    public var validateOnly: Bool

    /// - Throws: `.malformed` or `.invalid` when the request as a whole can't be read, `.tooLarge` when it has more
    ///   entries than the limits allow.
    public init(json: some Collection<UInt8>, limits: Limits) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in try UploadBody(from: &reader, limits: limits) }
    }

    /// The request as the service would read it, without encoding and decoding JSON.
    /// - Throws: `.tooLarge` when the request has more entries than the limits allow.
    public init(_ request: UploadRequest, limits: Limits) throws(WireError) {
        guard request.entries.count <= limits.entriesPerRequest else { throw Self.tooMany(limits) }
        items = request.entries.map { Item($0, bytes: $0.bytes(ifOver: limits.bytesPerEntry), limits: limits) }
        atomic = request.atomic
        validateOnly = request.validateOnly
    }

    private static func tooMany(_ limits: Limits) -> WireError {
        .tooLarge("a request may have at most \(limits.entriesPerRequest) entries; send it in halves")
    }

    private init(from reader: inout JSONReader, limits: Limits) throws(WireError) {
        var items: [Item]?
        atomic = false
        validateOnly = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "entries":
                items = []
                try reader.beginArray()
                while try reader.nextElement() {
                    guard (items?.count ?? 0) < limits.entriesPerRequest else { throw Self.tooMany(limits) }
                    items?.append(try Item(from: &reader, limits: limits))
                }
            case "atomic": atomic = try reader.bool()
            case "validateOnly": validateOnly = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let items else { throw .invalid("entries is missing") }
        self.items = items
    }
}

extension UploadBody.Item {
    fileprivate init(from reader: inout JSONReader, limits: Limits) throws(WireError) {
        let start = reader
        do {
            let upload = try UploadEntry(from: &reader)
            self = Self(upload, bytes: reader.offset - start.offset, limits: limits)
        } catch {
            // The next entry begins where this one ends, if its end can be found. An entry with an invalid text or with
            // too deep nesting still has an end.
            reader = start
            let size = try reader.pass().count
            let id = EntryID(scanning: start)
            self =
                size > limits.bytesPerEntry
                ? .tooLarge(id, size, limits) : .rejected(.rejected(id, .invalidArguments, error.description))
        }
    }

    /// - Parameter size: bytes of the entry's JSON.
    fileprivate init(_ upload: UploadEntry, bytes size: Int, limits: Limits) {
        if size - (upload.origin == nil ? 0 : UploadEntry.bytesOfOrigin) > limits.bytesPerEntry {
            self = .tooLarge(upload.entry.id, size, limits)
        } else if upload.entry.deviceSequence > JournalEntry.maxDeviceSequence {
            self = .rejected(
                .rejected(
                    upload.entry.id, .invalidArguments,
                    "deviceSequence is at most \(JournalEntry.maxDeviceSequence)"))
        } else if let excess = upload.entry.fields.excess(over: limits) {
            self = .rejected(.rejected(upload.entry.id, .limitExceeded, excess))
        } else {
            self = .valid(upload)
        }
    }

    private static func tooLarge(_ id: EntryID?, _ size: Int, _ limits: Limits) -> Self {
        .rejected(
            .rejected(
                id, .limitExceeded, "an entry may have at most \(limits.bytesPerEntry) bytes; this one has \(size)"))
    }
}

extension EntryID {
    /// The id of the entry at the reader's position, if it can be found.
    fileprivate init?(scanning reader: JSONReader) {
        var reader = reader
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key == "id" {
                    self = try reader.identifier()
                    return
                }
                try reader.pass()
            }
        } catch {}
        return nil
    }
}

extension Fields {
    /// The limit that the fields exceed, as a sentence; nil when they don't.
    public func excess(over limits: Limits) -> String? {
        if count > limits.fieldsPerEntry {
            return "an entry may have at most \(limits.fieldsPerEntry) fields; this one has \(count)"
        }
        if mostBytes <= limits.bytesOfFields { return nil }
        var writer = JSONWriter()
        write(to: &writer)
        let size = writer.bytes.count
        return size > limits.bytesOfFields
            ? "an entry's fields may have at most \(limits.bytesOfFields) bytes; these have \(size)" : nil
    }
}

extension Fields {
    /// An upper bound of the bytes of their JSON: a byte takes at most six, `\u001f`.
    fileprivate var mostBytes: Int {
        reduce(2) { $0 + 6 * ($1.key.utf8.count + $1.value.source.utf8.count) + 6 }
    }
}

extension UploadEntry {
    /// Ids, numbers and the names of members take fewer bytes.
    private static let mostBytesWithoutFields = 1024

    /// The bytes of the entry's JSON; 0 if they can't exceed `limit`, so that the JSON need not be written.
    fileprivate func bytes(ifOver limit: Int) -> Int {
        if entry.fields.mostBytes + Self.mostBytesWithoutFields <= limit { return 0 }
        var writer = JSONWriter(capacity: 512)
        write(to: &writer)
        return writer.bytes.count
    }
}

extension FieldValue {
    /// The text from which its JSON is made.
    fileprivate var source: String {
        switch self {
        case .string(let text), .json(let text): text
        case .null: "null"
        }
    }
}
