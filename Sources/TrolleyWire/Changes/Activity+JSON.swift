import TrolleyJournal

extension ActivityPage {
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in
            var page = ActivityPage(activity: [], next: nil)
            try reader.object { key, reader throws(WireError) in
                switch key {
                case "activity":
                    try reader.beginArray()
                    while try reader.nextElement() {
                        if let item = try ActivityItem(from: &reader) { page.activity.append(item) }
                    }
                case "next": page.next = try reader.optional()
                default: try reader.skip()
                }
            }
            return page
        }
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 512 * activity.count)
        writer.object { writer in
            writer.member("activity", activity)
            writer.member("next", next)
        }
        return writer.bytes
    }
}

extension ActivityItem: JSONWritable {
    /// nil for a kind of event that only a later version knows.
    init?(from reader: inout JSONReader) throws(WireError) {
        var sequence: Int64?
        var at: Timestamp?
        var authorName: String?
        var itemText: String?
        var deviceName: String?
        var entry: ConfirmedEntry?
        var kind: ParticipantChange.Kind?
        var participant: Participant?
        var previousPermission: Permission?
        try reader.object { key, reader throws(WireError) in
            if try reader.null() { return }
            switch key {
            case "sequence": sequence = try reader.integer()
            case "at": at = try reader.timestamp()
            case "authorName": authorName = try reader.string()
            case "itemText": itemText = try reader.string()
            case "deviceName": deviceName = try reader.string()
            case "entry": entry = try ConfirmedEntry(from: &reader)
            case "kind": kind = ParticipantChange.Kind(rawValue: try reader.string())
            case "participant": participant = try Participant(from: &reader)
            case "previousPermission": previousPermission = Permission(rawValue: try reader.string())
            default: try reader.skip()
            }
        }
        guard let sequence, let at else { throw .invalid("sequence or at is missing") }
        let event: Event
        switch (entry, kind, participant) {
        case (let entry?, _, _): event = .entry(entry)
        case (nil, let kind?, let participant?):
            event = .participant(ParticipantChange(kind, participant, previousPermission: previousPermission))
        default: return nil
        }
        self.init(
            sequence: SequenceNumber(rawValue: sequence), at: at, event: event, authorName: authorName,
            itemText: itemText, deviceName: deviceName)
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", sequence)
            writer.member("at", at)
            writer.key("type")
            switch event {
            case .entry(let entry):
                writer.string("entry")
                writer.member("authorName", authorName)
                writer.member("itemText", ifAny: itemText)
                writer.member("deviceName", ifAny: deviceName)
                writer.member("madeEarlierBy", ifAny: uploadDelay)
                writer.member("entry", entry)
            case .participant(let change):
                writer.string("participant")
                writer.member("kind", change.kind)
                writer.member("participant", change.participant)
                writer.member("previousPermission", ifAny: change.previousPermission)
            }
        }
    }
}
