import TrolleyJournal

extension ActivityPage {
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { reader throws(WireError) in
            var page = ActivityPage(activity: [], next: nil)
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "activity":
                    try reader.beginArray()
                    while try reader.nextElement() {
                        if let item = try ActivityItem(from: &reader) { page.activity.append(item) }
                    }
                case "next": page.next = try reader.null() ? nil : try reader.string()
                default: try reader.skip()
                }
            }
            return page
        }
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 512 * activity.count)
        writer.object { writer in
            writer.key("activity")
            writer.array { writer in
                for item in activity { item.write(to: &writer) }
            }
            writer.key("next")
            if let next { writer.string(next) } else { writer.null() }
        }
        return writer.bytes
    }
}

extension ActivityItem {
    /// nil for something that only a later version can say.
    init?(from reader: inout JSONReader) throws(WireError) {
        var sequence: Int64?
        var at: Timestamp?
        var authorName: String?
        var itemText: String?
        var entry: ConfirmedEntry?
        var kind: ParticipantChange.Kind?
        var participant: Participant?
        var previousPermission: Permission?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.null() { continue }
            switch key {
            case "sequence": sequence = try reader.integer()
            case "at": at = try reader.timestamp()
            case "authorName": authorName = try reader.string()
            case "itemText": itemText = try reader.string()
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
            itemText: itemText)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("sequence")
            writer.integer(sequence.rawValue)
            writer.key("at")
            writer.timestamp(at)
            writer.key("type")
            switch event {
            case .entry(let entry):
                writer.string("entry")
                writer.key("authorName")
                if let authorName { writer.string(authorName) } else { writer.null() }
                if let itemText {
                    writer.key("itemText")
                    writer.string(itemText)
                }
                if let madeEarlierBy {
                    writer.key("madeEarlierBy")
                    writer.integer(madeEarlierBy)
                }
                writer.key("entry")
                entry.write(to: &writer)
            case .participant(let change):
                writer.string("participant")
                writer.key("kind")
                writer.string(change.kind.rawValue)
                writer.key("participant")
                change.participant.write(to: &writer)
                if let previous = change.previousPermission {
                    writer.key("previousPermission")
                    writer.string(previous.rawValue)
                }
            }
        }
    }
}
