#if LATER_CALLS
    import TrolleyJournal
    import TrolleySync
    import TrolleyWire

    extension JSONMessage {
        /// `{"entries": […], "news": [id]}` → `{"found": […]}`: the double buys that the new ones of the entries bring.
        func doubleBuys(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let news: [EntryID] = object.identifiers("news")
            try check()
            writer.open()
            writer.name("found")
            writer.openArray()
            for found in DoubleBuy.found(in: entries, with: Set(news)) {
                writer.open()
                writer.member("item", bits: found.item.bits)
                writer.member("first", bits: found.first.bits)
                writer.member("firstAt", found.firstAt)
                writer.member("second", bits: found.second.bits)
                writer.member("secondAt", found.secondAt)
                writer.member("entry", bits: found.entry.bits)
                writer.close()
            }
            writer.closeArray()
            writer.close()
        }
    }
#endif
