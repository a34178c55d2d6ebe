#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    /// A language's catalogue, which stays read between calls.
    final class OpenCatalogue {
        let catalogue: Catalogue

        /// `{"table": "…"}`: the text of a file in `Catalogue/`.
        init(_ message: JSONMessage) throws(WireError) {
            let table = message.object().requiredString("table")
            try message.check()
            guard let catalogue = Catalogue(Array(table.utf8)) else { throw .invalid("the table can't be read") }
            self.catalogue = catalogue
        }

        /// `{"aisle"?: id}` → `{"aisles": [{"id", "name"}]}`, or with an aisle `{"words": ["…"]}`.
        func writeWords(_ message: JSONMessage, _ writer: inout JSONWriter) throws(WireError) {
            let aisle = message.object().string("aisle")
            try message.check()
            writer.open()
            writer.name(aisle == nil ? "aisles" : "words")
            writer.openArray()
            if let aisle {
                for word in catalogue.words(in: aisle) { writer.string(word) }
            } else {
                for aisle in catalogue.aisles {
                    writer.open()
                    writer.member("id", aisle.id)
                    writer.member("name", aisle.name)
                    writer.close()
                }
            }
            writer.closeArray()
            writer.close()
        }
    }

    extension JSONMessage {
        /// `{"text": "…", "wanted": ["…"], "at": time, "limit": n}` → `{"completions": [{"text", "quantity", "aisle", "due": bool,
        /// "isKnown": bool}]}`: what a person may be about to add. First what was bought before, then words of the catalogue
        /// (`isKnown`). `wanted`: the texts that the list wants already.
        func complete(
            _ history: PurchaseHistory, _ catalogue: Catalogue?, _ writer: inout JSONWriter
        ) throws(WireError) {
            let object = object()
            let text = object.requiredString("text")
            let at = object.requiredTimestamp("at")
            let limit = object.count("limit") ?? 0
            var state = ListState()
            let nobody = ItemID(UUIDBits(high: 0, low: 0))
            for text in object.strings("wanted") {
                state.items.append(Item(id: nobody, fields: [Fields.text: .string(text)]))
            }
            try check()
            let completions = history.completions(of: text, for: state, at: at, catalogue: catalogue, limit: limit)
            writer.open()
            writer.name("completions")
            writer.openArray()
            for completion in completions {
                writer.open()
                writer.member("text", completion.text)
                switch completion {
                case .bought(let suggestion):
                    writer.member("quantity", suggestion.quantity)
                    writer.member("aisle", suggestion.aisle)
                    writer.member("due", suggestion.isDue(at: at))
                    writer.member("isKnown", false)
                case .known(let match):
                    writer.member("quantity", String?.none)
                    writer.member("aisle", match.aisle.name)
                    writer.member("due", false)
                    writer.member("isKnown", true)
                }
                writer.close()
            }
            writer.closeArray()
            writer.close()
        }
    }
#endif
