package import TrolleyJournal

// {"entry": {…}, "replaced": [{"register": "field", "key": "note", "text": "ripe", "by": "…"}]}: the record that a device
// stores with each of its own entries.

extension UndoLog.Record {
    package init(_ object: JSONObject) {
        self.init(
            entry: object.requiredEntry("entry"), replaced: (object.objects("replaced") ?? []).map { PriorDecision($0) }
        )
    }

    package func write(to writer: inout JSONWriter) {
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
