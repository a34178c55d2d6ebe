import TrolleyJournal
import TrolleyWire

// {"entry": {…}, "replaced": [{"register": "field", "key": "note", "text": "ripe", "by": "…"}]}: the record that a device
// stores with each of its own entries, as `Codable` writes it elsewhere.

extension UndoLog.Record {
    init(_ object: JSONObject) {
        self.init(
            entry: object.requiredEntry("entry"), replaced: (object.objects("replaced") ?? []).map { PriorDecision($0) }
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.open()
        writer.name("entry")
        entry.write(to: &writer)
        writer.name("replaced")
        writer.openArray()
        for replaced in replaced { replaced.write(to: &writer) }
        writer.closeArray()
        writer.close()
    }
}

extension PriorDecision {
    fileprivate init(_ object: JSONObject) {
        let register = Register(code: object.requiredString("register"), key: object.string("key"))
        if register == nil { object.fail("register: not something that an entry decides") }
        let text = object.string("text").map { FieldValue.string($0) }
        let value: Value =
            switch (register ?? .name).kind {
            case .field: .field(text ?? object.string("json").map { .json($0) } ?? .null)
            case .flag: .flag(object.bool("flag"))
            case .after: .after(object.identifier("after"))
            }
        self.init(register ?? .name, was: value, by: object.identifier("by"))
        unchanged = object.bool("unchanged")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("register", register.code)
        if let by { writer.member("by", bits: by.bits) }
        if unchanged { writer.member("unchanged", true) }
        if case .field(let key) = register { writer.member("key", key) }
        switch value {
        case .field(.string(let text)): writer.member("text", text)
        case .field(.json(let json)): writer.member("json", json)
        case .field(.null), .after(nil): break
        case .flag(let flag): writer.member("flag", flag)
        case .after(let item?): writer.member("after", bits: item.bits)
        }
        writer.close()
    }
}

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
