#if LATER_CALLS
    import TrolleyJournal
    import TrolleyWire

    /// What happened on a list, which stays open between calls: what was bought on it, and what the household taught about aisles.
    final class OpenPast {
        private(set) var history = PurchaseHistory()
        /// Purchases whose entries compression has removed.
        private let archived: PurchaseHistory
        private var fold = ListFold()
        /// Whether aisles are asked for.
        private let isFolded: Bool
        private var through = SequenceNumber.start

        /// `{"entries"?: [confirmed], "bought"?: [purchase], "isFolded"?: bool}`. Without `isFolded`, it knows no aisles.
        init(_ message: JSONMessage) throws(WireError) {
            let object = message.object(streaming: .entries)
            let bought = (object.objects("bought") ?? []).map { Purchase($0) }
            isFolded = object.bool("isFolded")
            try message.check()
            for purchase in bought { history.add(purchase) }
            archived = history
            for entry in message.entries.inStreamOrder() { take(entry) }
            if isFolded { fold = ListFold(folding: message.entries) }
        }

        private func take(_ entry: ConfirmedEntry) {
            history.take(entry)
            through = max(through, entry.sequence)
        }

        func perform(
            _ call: ModuleCall, _ message: JSONMessage, _ catalogues: [(handle: Int, catalogue: Catalogue)],
            _ writer: inout JSONWriter
        ) throws(WireError) {
            switch call {
            case .follow: try follow(message, &writer)
            case .aisles: try writeAisles(message, catalogues, &writer)
            default: try arrangeAisles(message, &writer)
            }
        }

        /// `{"changes": [as the service sends them]}` → `{"through": n}`: takes later entries. Compression also changes what is
        /// kept of purchases: open the past again after it.
        private func follow(_ message: JSONMessage, _ writer: inout JSONWriter) throws(WireError) {
            _ = message.object(streaming: .changes)
            try message.check()
            for change in message.changes {
                guard case .entry(let entry) = change, entry.sequence > through else { continue }
                if isFolded { fold.apply(entry) }
                take(entry)
            }
            writer.open()
            writer.member("through", number: through.rawValue)
            writer.close()
        }

        /// `{"texts": ["…"], "pending": […], "language": "en", "names": [{"language", "aisles": ["…"]}], "catalogues":
        /// [{"language", "handle"}]}` → `{"language": "de", "choices": [{"aisle", "reason", "because"?} or null]}`: the aisles of
        /// new items, by `AisleRule`. The first `language` is the device's, the second one that of the list's aisles. What has no
        /// catalogue here is not read.
        private func writeAisles(
            _ message: JSONMessage, _ catalogues: [(handle: Int, catalogue: Catalogue)], _ writer: inout JSONWriter
        ) throws(WireError) {
            let object = message.object()
            let texts = object.strings("texts")
            let pending = object.pendingEntries()
            let own = object.requiredString("language")
            let names = (object.objects("names") ?? []).map { names in
                (language: names.requiredString("language"), aisles: names.strings("aisles"))
            }
            let known = (object.objects("catalogues") ?? []).map { known in
                (language: known.requiredString("language"), handle: known.count("handle") ?? 0)
            }
            try message.check()

            fold.setPending(pending)
            let named = fold.aisleLanguage(among: names) ?? own
            func catalogue(_ language: String) -> Catalogue? {
                guard let handle = known.first(where: { $0.language.hasSameBytes(as: language) })?.handle else {
                    return nil
                }
                return catalogues.first { $0.handle == handle }?.catalogue
            }
            var read: [Catalogue] = []
            if let naming = catalogue(named) {
                if !named.hasSameBytes(as: own), let catalogue = catalogue(own) { read.append(catalogue) }
                read.append(naming)
            }
            let rule = AisleRule(for: texts, on: fold, archived: archived, catalogues: read)
            writer.open()
            writer.member("language", named)
            writer.name("choices")
            writer.openArray()
            for text in texts {
                if let choice = rule.choice(of: text) { writer.write(choice) } else { writer.null() }
            }
            writer.closeArray()
            writer.close()
        }

        /// `{"pending": […], "renamings"?: [{"aisle", "name"?}], "order"?: ["…"]}` → `{"aisles": ["…"], "drafts": […]}`: the
        /// list's aisles as they are, and the changes that rename, merge and order them. `order` has their present names. With
        /// `{"shop": "…"}`, the changes that add this shop or order its aisles; with `"isGone": true`, those that remove it.
        private func arrangeAisles(_ message: JSONMessage, _ writer: inout JSONWriter) throws(WireError) {
            let object = message.object()
            let pending = object.pendingEntries()
            let renamings = (object.objects("renamings") ?? []).map { renaming in
                AisleRenaming(renaming.requiredString("aisle"), to: renaming.string("name"))
            }
            let order = object.strings("order")
            let shop = object.string("shop")
            let isGone = object.bool("isGone")
            try message.check()
            fold.setPending(pending)
            let aisles = fold.knownAisles
            let given = order.isEmpty ? nil : order
            let drafts =
                if let shop {
                    isGone ? fold.drafts(removingShop: shop) : fold.state.drafts(shop: shop, aisles: given)
                } else {
                    fold.drafts(renaming: renamings, order: given)
                }
            writer.open()
            writer.name("aisles")
            writer.openArray()
            for aisle in aisles { writer.string(aisle) }
            writer.closeArray()
            writer.write("drafts", drafts)
            writer.close()
        }
    }

    extension JSONWriter {
        fileprivate mutating func write(_ choice: AisleChoice) {
            open()
            member("aisle", choice.aisle)
            switch choice.reason {
            case .given: member("reason", word: "given")
            case .taught: member("reason", word: "taught")
            case .alike(let item):
                member("reason", word: "alike")
                member("because", item)
            case .catalogue(let word):
                member("reason", word: "catalogue")
                member("because", word)
            }
            close()
        }
    }
#endif
