#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    extension JSONMessage {
        /// `{"entries": […], "pending"?: […], "person"?: id, "bought"?: [purchase], "at"?: time}` → `{"trips": […]}`, oldest
        /// first. `person` made the pending entries; `bought` are purchases of compressed entries.
        func trips(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let at = object.timestamp("at")
            let trips = purchaseHistory(object).trips
            try check()
            writer.open()
            writer.name("trips")
            writer.openArray()
            for trip in trips { trip.write(to: &writer, isOver: at.map { trip.isOver(at: $0) }) }
            writer.closeArray()
            writer.close()
        }

        /// `{"entries": […]}` → `{"purchases": […], "mostKept": n}` in the order in which they were made: what a device keeps
        /// when entries are compressed, of each list the latest `mostKept`.
        func purchases(_ writer: inout JSONWriter) throws(WireError) {
            _ = object(streaming: .entries)
            try check()
            writer.open()
            writer.name("purchases")
            writer.openArray()
            for purchase in PurchaseHistory(entries).inOrder { purchase.write(to: &writer) }
            writer.closeArray()
            writer.member("mostKept", PurchaseHistory.mostKept)
            writer.close()
        }

        /// The input of `trips` and `{"shop"?: "…"}` → `{"places": {"milk": [3000, 4, 6]}}`: the learned order at that time in that
        /// shop, for `arrange`.
        func learn(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let at = object.requiredTimestamp("at")
            let order = LearnedOrder(of: purchaseHistory(object).trips, at: at, in: object.string("shop"))
            try check()
            writer.open()
            writer.name("places")
            order.write(to: &writer)
            writer.close()
        }

        /// `{"waitingFor": [as the service's replay answers], "end": time, "device"?: id}` → `{"waitingFor": […]}`: the devices
        /// that may still send marks of a trip with that end. `device` is this one.
        func missing(_ writer: inout JSONWriter) throws(WireError) {
            let object = object()
            let own: DeviceID? = object.identifier("device")
            let end = object.requiredTimestamp("end")
            let devices = (object.objects("waitingFor") ?? []).map { ReplayCompleteness.MissingDevice($0) }
            try check()
            writer.open()
            writer.name("waitingFor")
            writer.openArray()
            for device in devices where device.device != own && device.mayHoldBack(until: end) {
                writer.open()
                writer.member("device", bits: device.device.bits)
                switch device.reason {
                case .holdsBack(let count): writer.member("holdsBack", count)
                case .notHeardFromSince(let time): writer.member("notHeardOfSince", time)
                }
                writer.close()
            }
            writer.closeArray()
            writer.close()
        }

        /// The input of `trips` and `{"picks": [purchase]}` → `{"steps": [[id]]}`: for each pick of a trip, the entries that were
        /// made until then and not before the previous pick. The list after a pick is folded from the entries of all steps up
        /// to it.
        func steps(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let picks = (object.objects("picks") ?? []).map { Purchase($0) }
            let made =
                entries.map { (entry: $0.entry, at: $0.madeAt) }
                + object.pendingEntries().map { (entry: $0.entry, at: $0.madeAt) }
            try check()
            var steps = [[UUIDBits]](repeating: [], count: picks.count)
            for (entry, at) in made {
                guard let step = picks.firstIndex(where: { $0.comes(after: entry, madeAt: at) }) else { continue }
                steps[step].append(entry.id.bits)
            }
            writer.open()
            writer.name("steps")
            writer.openArray()
            for step in steps {
                writer.openArray()
                for bits in step { writer.identifier(EntryID(bits)) }
                writer.closeArray()
            }
            writer.closeArray()
            writer.close()
        }

        /// The input of `trips` and `{"picks": [purchase], "items": [as the list shows them], "at": time, "random": [uuid]}` →
        /// what `add` answers: repeats a trip. `random` has one UUID for each pick.
        func repetition(_ writer: inout JSONWriter) throws(WireError) {
            let object = object(streaming: .entries)
            let at = object.requiredTimestamp("at")
            let random = object.bitsOfMany("random")
            let picks = (object.objects("picks") ?? []).map { Purchase($0) }
            if picks.count > random.count { object.fail("random: too few") }
            let state = ListState(items: object.items("items"))
            let history = purchaseHistory(object)
            try check()
            let additions = state.additions(repeating: picks, at: at)
            writer.write(additions, below: state.items.last?.id, at: at, random: random) { history.aisle(of: $0) }
        }

        private func purchaseHistory(_ object: JSONObject) -> PurchaseHistory {
            var history = PurchaseHistory()
            for purchase in object.objects("bought") ?? [] { history.add(Purchase(purchase)) }
            for entry in entries.inStreamOrder() { history.take(entry) }
            let person: AccountID? = object.identifier("person")
            for entry in object.pendingEntries() { history.take(entry.entry, madeAt: entry.madeAt, by: person) }
            return history
        }
    }

    extension Trip {
        fileprivate func write(to writer: inout JSONWriter, isOver: Bool?) {
            writer.open()
            writer.member("start", start)
            writer.member("end", end)
            writer.member("duration", number: duration)
            if let isOver { writer.member("isOver", isOver) }
            writer.member("shop", shop)
            writer.member("people", ids: people.map { $0.bits })
            writer.name("picks")
            writer.openArray()
            for pick in picks { pick.write(to: &writer) }
            writer.closeArray()
            writer.name("added")
            writer.openArray()
            for item in added {
                writer.open()
                writer.member("item", bits: item.item.bits)
                writer.member("text", item.text)
                writer.member("at", item.at)
                writer.member("by", bits: item.by?.bits)
                writer.close()
            }
            writer.closeArray()
            writer.close()
        }
    }

    extension ReplayCompleteness.MissingDevice {
        fileprivate init(_ object: JSONObject) {
            let count = object.count("holdsBack")
            self.init(
                device: DeviceID(object.requiredBits("device")),
                reason: count.map { .holdsBack($0) } ?? .notHeardFromSince(object.timestamp("notHeardOfSince")))
        }
    }
#endif
