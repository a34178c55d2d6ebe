#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    extension JSONMessage {
        /// `{"rows": [{"id", "text", "aisle"?}], "aisles"?: ["…"], "places"?: {…}}` →
        /// `{"groups": [{"aisle": "…" or null, "rows": [{"id", "usual": 4 or null}]}]}`: rows in list order, as shopping mode
        /// shows them. `aisles` is the list's order of aisles, `places` what `learn` gave.
        func arrange(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let rows = (object.objects("rows") ?? []).map { ShownRow($0) }
            var aisles: [String] = []
            object.elements("aisles") { reader throws(WireError) in aisles.append(try reader.string()) }
            let learned = object.learnedOrder("places")
            try check()
            // An aisle is written as in the list's order, otherwise as with its first item.
            var names: [ItemKey: String] = [:]
            for aisle in aisles + rows.compactMap({ $0.aisle }) where names[aisle.itemKey] == nil {
                names[aisle.itemKey] = aisle
            }
            var last: ItemKey??
            writer.open()
            writer.name("groups")
            writer.openArray()
            for row in rows.byAisle(aisles, learned: learned) {
                let aisle = row.aisle?.itemKey
                if last.map({ $0 != aisle }) ?? true {
                    if last != nil { writer.closeGroup() }
                    last = .some(aisle)
                    writer.open()
                    writer.member("aisle", aisle.flatMap { names[$0] })
                    writer.name("rows")
                    writer.openArray()
                }
                writer.open()
                writer.member("id", bits: row.id.bits)
                writer.name("usual")
                if let usual = row.usual { writer.integer(Int64(usual.position)) } else { writer.null() }
                writer.close()
            }
            if last != nil { writer.closeGroup() }
            writer.closeArray()
            writer.close()
        }
    }

    extension JSONWriter {
        fileprivate mutating func closeGroup() {
            closeArray()
            close()
        }
    }

    extension ShownRow {
        fileprivate init(_ object: JSONObject) {
            var fields = Fields()
            fields[Fields.text] = .string(object.string("text") ?? "")
            fields[Fields.aisle] = object.string("aisle").map { .string($0) }
            self.init(item: Item(id: ItemID(object.requiredBits("id")), fields: fields))
        }
    }
#endif
