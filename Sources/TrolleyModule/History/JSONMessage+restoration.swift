#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    extension JSONMessage {
        /// `{"entries": […], "pending"?: […], "target": a state as the service's replay answers}` → `{"drafts": […]}`: the changes
        /// that put a list back, from what this device shows.
        func restoration(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let pending = object.pendingEntries()
            let target = ListState(object.requiredObject("target"))
            try check()
            var fold = ListFold(folding: entries)
            fold.setPending(pending)
            writer.open()
            writer.write("drafts", fold.restoration(to: target).drafts)
            writer.close()
        }
    }

    extension ListState {
        fileprivate init(_ object: JSONObject) {
            self.init(
                name: object.string("name"), colour: object.string("colour"), aisles: object.strings("aisles"),
                shops: object.shops("shops"), items: object.items("items"))
        }
    }
#endif
