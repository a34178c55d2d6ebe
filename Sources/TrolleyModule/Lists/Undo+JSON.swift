import TrolleyJournal
import TrolleyWire

extension EntryDraft {
    /// Reads a draft: an entry without the members that the device adds.
    init(_ object: JSONObject) {
        let operation = Operation(name: object.requiredString("operation"))
        let cause = Cause(name: object.string("cause") ?? "edit")
        if operation == nil || cause == nil { object.fail("operation or cause: no such word") }
        self.init(
            operation ?? .edit, item: object.identifier("item"), after: object.identifier("after"),
            fields: object.fields("fields"), cause: cause ?? .edit, reverts: object.identifier("reverts"))
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("operation", operation.rawValue)
        if let item { writer.member("item", bits: item.bits) }
        if operation.places { writer.member("after", bits: after?.bits) }
        if !fields.isEmpty {
            writer.name("fields")
            fields.write(to: &writer)
        }
        writer.member("cause", cause.rawValue)
        if let reverts { writer.member("reverts", bits: reverts.bits) }
        writer.close()
    }
}

extension UndoStep {
    func write(to writer: inout JSONWriter) {
        writer.open()
        writer.name("gesture")
        writer.openArray()
        for entry in gesture { entry.write(to: &writer) }
        writer.closeArray()
        writer.write("drafts", drafts)
        writer.name("skipped")
        writer.openArray()
        for skipped in skipped {
            writer.open()
            writer.member("entry", bits: skipped.entry.id.bits)
            writer.member("subject", word: skipped.subject.word)
            if case .field(let key) = skipped.subject { writer.member("key", key) }
            writer.member("by", bits: skipped.by?.bits)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }
}

extension UndoStep.Subject {
    fileprivate var word: StaticString {
        switch self {
        case .name: "name"
        case .colour: "colour"
        case .aisles: "aisles"
        case .markedOff: "markedOff"
        case .deleted: "deleted"
        case .place: "place"
        case .field: "field"
        }
    }
}

extension JSONWriter {
    mutating func write(_ key: StaticString, _ drafts: [EntryDraft]) {
        name(key)
        openArray()
        for draft in drafts { draft.write(to: &self) }
        closeArray()
    }
}
