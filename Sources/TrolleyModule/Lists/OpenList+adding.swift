import TrolleyJournal
import TrolleyWire

// What a person puts on a list, and what the list suggests.

extension OpenList {
    /// `{"text": "…", "purchases"?: […], "at": time, "random": [uuid]}` → `{"drafts": […], "added": [{"item", "text",
    /// "outcome"}]}`: pasted lines become drafts. What is on the list already is not doubled (`ListState.additions`). A new item
    /// gets the aisle that an item of its name had last. `random` has one for each line.
    func writeAdditions(
        _ object: JSONObject, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        let text = object.requiredString("text")
        let at = object.requiredTimestamp("at")
        var random = Array(object.bitsOfMany("random").reversed())
        let history = object.purchaseHistory()
        let items = ItemLine.lines(of: text).map { NewItem($0) }
        if items.count > random.count { object.fail("random: too few") }
        try message.check()

        let state = self.state
        var drafts: [EntryDraft] = []
        var added: [(item: ItemID, text: String, outcome: StaticString)] = []
        var bottom = state.items.last?.id
        for addition in state.additions(of: items) {
            switch addition {
            case .new(var new):
                let bits = random.popLast() ?? UUIDBits(high: 0, low: 0)
                let item = ItemID(.version7(at: at, random: (bits.high, bits.low)))
                if new.fields[Fields.aisle] == nil,
                    let aisle = fold.aisle(ofItemCalled: new.text) ?? history.aisle(of: new.text)
                {
                    new.fields[Fields.aisle] = .string(aisle)
                }
                drafts.append(EntryDraft(.add, item: item, after: bottom, fields: new.fields))
                if new.isMarkedOff { drafts.append(EntryDraft(.markOff, item: item)) }
                bottom = item
                added.append((item, new.text, "added"))
            case .present(let item, let missing):
                if !missing.isEmpty { drafts.append(EntryDraft(.edit, item: item.id, fields: missing)) }
                added.append((item.id, item.text, "present"))
            case .back(let item, let changes):
                drafts.append(EntryDraft(.unmark, item: item.id))
                if !changes.isEmpty { drafts.append(EntryDraft(.edit, item: item.id, fields: changes)) }
                added.append((item.id, item.text, "back"))
            case .repeated: break
            }
        }
        writer.open()
        writer.write("drafts", drafts)
        writer.name("added")
        writer.openArray()
        for added in added {
            writer.open()
            writer.member("item", bits: added.item.bits)
            writer.member("text", added.text)
            writer.member("outcome", word: added.outcome)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }

    /// `{"purchases": […], "at": time, "prefix"?: "…", "limit": n}` → `{"suggestions": […]}`: what may be wanted next.
    func writeSuggestions(
        _ object: JSONObject, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        let history = object.purchaseHistory()
        let at = object.requiredTimestamp("at")
        let prefix = object.string("prefix") ?? ""
        let limit = max(0, object.count("limit") ?? 20)
        try message.check()
        writer.open()
        writer.name("suggestions")
        writer.openArray()
        for suggestion in history.suggestions(for: state, at: at, beginningWith: prefix, limit: limit) {
            writer.open()
            writer.member("text", suggestion.text)
            writer.member("quantity", suggestion.quantity)
            writer.member("aisle", suggestion.aisle)
            writer.member("count", suggestion.count)
            writer.member("due", suggestion.isDue(at: at))
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }
}

extension JSONMessage {
    /// `{"entries": […]}` → `{"purchases": [{"entry", "text", "quantity", "aisle", "at"}]}`: what was bought, as the entries
    /// of one list tell. They go into `add` and `suggest`.
    func purchases(_ writer: inout JSONWriter) throws(WireError) {
        _ = object(streaming: .entries)
        try check()
        writer.open()
        writer.name("purchases")
        writer.openArray()
        for purchase in PurchaseHistory(entries).purchases.sorted(by: { $0.entry < $1.entry }) {
            writer.open()
            writer.member("entry", bits: purchase.entry.bits)
            writer.member("text", purchase.text)
            writer.member("quantity", purchase.quantity)
            writer.member("aisle", purchase.aisle)
            writer.member("at", purchase.at)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }
}

extension JSONObject {
    fileprivate func purchaseHistory() -> PurchaseHistory {
        var history = PurchaseHistory()
        for object in objects("purchases") ?? [] {
            history.add(
                Purchase(
                    entry: EntryID(object.requiredBits("entry")), text: object.requiredString("text"),
                    quantity: object.string("quantity"), aisle: object.string("aisle"),
                    at: object.requiredTimestamp("at")))
        }
        return history
    }
}
