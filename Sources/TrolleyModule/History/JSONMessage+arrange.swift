#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    extension JSONMessage {
        /// `{"rows": [{"id", "text", "aisle"?, "shop"?}], "aisles"?: ["…"], "shops"?: [{"name", "aisles"?}], "shop"?: "…",
        /// "places"?: {…}}` → `{"groups": [{"aisle": "…" or null, "rows": [{"id", "usual": 4 or null}]}], "elsewhere": [id]}`: rows
        /// in list order, as shopping mode shows them. `aisles` is the list's order of aisles, `shop` where the person is,
        /// `places` what `learn` gave. What is bought in another shop is `elsewhere`.
        func arrange(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let shop = object.string("shop")
            let (rows, elsewhere) = (object.objects("rows") ?? []).map { ShownRow($0) }.split(at: shop)
            let aisles = object.aisles(at: shop)
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
            writer.member("elsewhere", ids: elsewhere.byAisle(aisles, learned: learned).map { $0.id.bits })
            writer.close()
        }

        /// `{"lists": [{"list": id, "rows": [as for arrange, with "markedOff"?], "aisles"?, "shops"?, "places"?}], "shop"?: "…"}` →
        /// `{"rows": [{"aisle": "…" or null, "parts": [{"list", "item"}]}]}`: the rows of several lists as one.
        func combine(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let shop = object.string("shop")
            let parts = (object.objects("lists") ?? []).map { list in
                CombinedPart(
                    list: ListID(list.requiredBits("list")),
                    rows: (list.objects("rows") ?? []).map { ShownRow($0) }.split(at: shop).here,
                    aisles: list.aisles(at: shop), learned: list.learnedOrder("places"))
            }
            try check()
            writer.open()
            writer.name("rows")
            writer.openArray()
            for row in parts.rows(elsewhere: false) {
                writer.open()
                writer.member("aisle", row.aisle)
                writer.name("parts")
                writer.openArray()
                for part in row.parts {
                    writer.open()
                    writer.member("list", bits: part.list.bits)
                    writer.member("item", bits: part.item.id.bits)
                    writer.close()
                }
                writer.closeGroup()
            }
            writer.closeArray()
            writer.close()
        }
    }

    extension JSONObject {
        /// The order of the aisles in a shop.
        fileprivate func aisles(at shop: String?) -> [String] {
            shops("shops").aisles(at: shop, of: strings("aisles"))
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
            fields[Fields.shop] = object.string("shop").map { .string($0) }
            self.init(
                item: Item(
                    id: ItemID(object.requiredBits("id")), markedOff: object.bool("markedOff"), fields: fields))
        }
    }
#endif
