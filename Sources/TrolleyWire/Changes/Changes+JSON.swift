import TrolleyJournal

// A change: {"sequence": 3, "type": "entry", "entry": {…}}
//           {"sequence": 4, "type": "share", "share": {"participants": […]}}
//           {"sequence": 5, "type": "discard", "entries": [ids], "anchors": [{"id": …, "after": …}]}

extension Change {
    /// Reads a change. A type that this version doesn't know is `.invalid`, because skipping it would be a silent gap.
    public init(from reader: inout JSONReader) throws(WireError) {
        var sequence: Int64?
        var type = ""
        var entry: ConfirmedEntry?
        var share: ShareState?
        var ids: [EntryID] = []
        var anchors: [EntryID: ItemID?] = [:]
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "sequence": sequence = try reader.integer()
            case "type": type = try reader.string()
            case "entry": entry = try ConfirmedEntry(from: &reader)
            case "share": share = try ShareState(from: &reader)
            case "entries":
                try reader.beginArray()
                while try reader.nextElement() { ids.append(try reader.identifier()) }
            case "anchors":
                try reader.beginArray()
                while try reader.nextElement() {
                    let (id, after) = try reader.anchor()
                    anchors.updateValue(after, forKey: id)
                }
            default: try reader.skip()
            }
        }
        guard let sequence else { throw .invalid("sequence is missing") }
        self.sequence = SequenceNumber(rawValue: sequence)
        switch (type, entry, share) {
        case ("entry", let entry?, _): body = .entry(entry)
        case ("share", _, let share?): body = .share(share)
        case ("discard", _, _): body = .discard(ids: ids, anchors: anchors)
        default: throw .invalid("a change of a type that this version doesn't know; update it")
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("sequence")
            writer.integer(sequence.rawValue)
            writer.key("type")
            switch body {
            case .entry(let entry):
                writer.string("entry")
                writer.key("entry")
                entry.write(to: &writer)
            case .share(let share):
                writer.string("share")
                writer.key("share")
                share.write(to: &writer)
            case .discard(let ids, let anchors):
                writer.string("discard")
                writer.key("entries")
                writer.array { writer in
                    for id in ids { writer.identifier(id) }
                }
                writer.key("anchors")
                writer.array { writer in
                    for (id, after) in anchors.sorted(by: { $0.key < $1.key }) {
                        writer.object { writer in
                            writer.key("id")
                            writer.identifier(id)
                            writer.key("after")
                            if let after { writer.identifier(after) } else { writer.null() }
                        }
                    }
                }
            }
        }
    }
}

extension JSONReader {
    fileprivate mutating func anchor() throws(WireError) -> (EntryID, ItemID?) {
        var id: EntryID?
        var after: ItemID?
        try beginObject()
        while let key = try nextKey() {
            switch key {
            case "id": id = try identifier()
            case "after": after = try null() ? nil : try identifier()
            default: try skip()
            }
        }
        guard let id else { throw .invalid("an anchor without id") }
        return (id, after)
    }
}

extension ChangesPage {
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in try ChangesPage(from: &reader) }
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 512 * changes.count)
        writer.object { writeMembers(to: &$0) }
        return writer.bytes
    }

    /// Writes the page up to its changes, which the caller writes.
    public func writeBeginning(to writer: inout JSONWriter) {
        writer.begin(UInt8(ascii: "{"))
        writer.key("changes")
        writer.begin(UInt8(ascii: "["))
    }

    /// Writes the members after the changes.
    public func writeEnd(to writer: inout JSONWriter) {
        writer.end(UInt8(ascii: "]"))
        writeRest(to: &writer)
        writer.end(UInt8(ascii: "}"))
    }

    init(from reader: inout JSONReader) throws(WireError) {
        self.init(changes: [], token: "", moreComing: false, snapshot: false)
        try reader.beginObject()
        while let key = try reader.nextKey() { try readMember(key, from: &reader) }
        guard !token.isEmpty else { throw .invalid("token is missing") }
    }

    mutating func readMember(_ key: JSONText, from reader: inout JSONReader) throws(WireError) {
        switch key {
        case "changes":
            try reader.beginArray()
            while try reader.nextElement() { changes.append(try Change(from: &reader)) }
        case "token": token = try reader.string()
        case "moreComing": moreComing = try reader.bool()
        case "snapshot": snapshot = try reader.bool()
        // A digest of a kind that only a later version knows counts as none.
        case "digest": digest = try reader.null() ? nil : StateDigest(try reader.string())
        case "through": through = SequenceNumber(rawValue: try reader.integer())
        default: try reader.skip()
        }
    }

    func writeMembers(to writer: inout JSONWriter) {
        writeMembers(to: &writer) { writer in
            for change in changes { change.write(to: &writer) }
        }
    }

    fileprivate func writeMembers<Failure: Error>(
        to writer: inout JSONWriter, _ writeChanges: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        writer.key("changes")
        try writer.array(writeChanges)
        writeRest(to: &writer)
    }

    private func writeRest(to writer: inout JSONWriter) {
        writer.member("token", token)
        writer.member("moreComing", moreComing)
        writer.member("snapshot", snapshot)
        writer.member("digest", ifAny: digest)
        if let through { writer.member("through", through) }
    }
}

extension AllChangesResponse {
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in try AllChangesResponse(from: &reader) }
    }

    public var json: [UInt8] {
        json(of: lists.reduce(0) { $0 + $1.page.changes.count }) { index, writer in
            for change in lists[index].page.changes { change.write(to: &writer) }
        }
    }

    /// The answer with changes that the caller writes.
    /// - Parameters:
    ///   - count: the number of changes.
    ///   - writeChanges: writes the changes of one list, given by its index in `lists`.
    public func json<Failure: Error>(
        of count: Int, _ writeChanges: (Int, inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + 600 * count)
        try writer.object { (writer) throws(Failure) in
            writer.key("lists")
            try writer.array { (writer) throws(Failure) in
                for index in lists.indices {
                    try writer.object { (writer) throws(Failure) in
                        writer.member("id", lists[index].id)
                        try lists[index].page.writeMembers(to: &writer) { (writer) throws(Failure) in
                            try writeChanges(index, &writer)
                        }
                    }
                }
            }
            writer.member("expired", expired)
            writer.member("gone", gone.sorted(by: { $0.key < $1.key })) { gone, writer in
                writer.member("id", gone.key)
                writer.member("reason", gone.value)
            }
            if !unknown.isEmpty { writer.member("unknown", unknown) }
            if !unreachable.isEmpty { writer.member("unreachable", unreachable) }
            if let ownership {
                writer.member("ownership") { writer in
                    for (list, proof) in ownership.sorted(by: { $0.key < $1.key }) {
                        writer.key(list.description)
                        writer.string(proof)
                    }
                }
            }
            writer.member("moreComing", moreComing)
            if protocolVersion > 1 { writer.member("protocolVersion", protocolVersion) }
        }
        return writer.bytes
    }

    private init(from reader: inout JSONReader) throws(WireError) {
        self.init(lists: [])
        protocolVersion = 1
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "lists": lists = try reader.array()
            case "expired": expired = try reader.array()
            case "gone":
                for (id, reason) in try reader.array({ r throws(WireError) in try r.goneList() }) { gone[id] = reason }
            case "unknown": unknown = try reader.array()
            case "unreachable": unreachable = try reader.array()
            case "ownership": ownership = try reader.proofs()
            case "moreComing": moreComing = try reader.bool()
            case "protocolVersion": protocolVersion = Int(clamping: try reader.integer())
            default: try reader.skip()
            }
        }
    }
}

extension AllChangesResponse.List: JSONReadable {
    init(from reader: inout JSONReader) throws(WireError) {
        var id: ListID?
        var page = ChangesPage(changes: [], token: "", moreComing: false, snapshot: false)
        try reader.object { key, reader throws(WireError) in
            if key == "id" { id = try reader.identifier() } else { try page.readMember(key, from: &reader) }
        }
        guard let id, !page.token.isEmpty else { throw .invalid("a list without id or token") }
        self.init(id: id, page: page)
    }
}

extension JSONReader {
    fileprivate mutating func proofs() throws(WireError) -> [ListID: String]? {
        if try null() { return nil }
        var proofs: [ListID: String] = [:]
        try object { key, reader throws(WireError) in
            guard let list = ListID(key.string) else { throw .invalid("ownership: a list's id must be a UUID") }
            proofs[list] = try reader.string()
        }
        return proofs
    }

    fileprivate mutating func goneList() throws(WireError) -> (ListID, ListGoneReason) {
        var id: ListID?
        var reason = ""
        try object { key, reader throws(WireError) in
            switch key {
            case "id": id = try reader.identifier()
            case "reason": reason = try reader.string()
            default: try reader.skip()
            }
        }
        guard let id else { throw .invalid("a gone list without id") }
        // An unknown reason of a later version also means that the list is gone.
        return (id, ListGoneReason(rawValue: reason) ?? .removed)
    }
}
