import TrolleyJournal
import TrolleyWire

// Adding items to a list.

extension OpenList {
    /// `{"text": "…", "at": time, "after": item?, "random": [uuid]}` → `{"drafts": […], "added": [{"item", "text", "outcome"}]}`: turns
    /// pasted lines into drafts. Items that are already on the list are not added again (`ListState.additions`). A new
    /// item gets the last aisle of an item of its name, and goes below `after`, which may be an item that this list hasn't
    /// got yet, otherwise below the last item. `random` has one UUID for each line.
    func writeAdditions(
        _ object: JSONObject, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        let text = object.requiredString("text")
        let at = object.requiredTimestamp("at")
        let random = object.bitsOfMany("random")
        let items = ItemLine.lines(of: text).map { NewItem($0) }
        if items.count > random.count { object.fail("random: too few") }
        try message.check()
        let state = self.state
        let additions = state.additions(of: items)
        let aisles = fold.lastAisles(of: additions.newTexts)
        let bottom = object.identifier("after") ?? state.items.last?.id
        writer.write(additions, below: bottom, at: at, random: random) { aisles[$0.itemKey] }
    }
}

extension JSONWriter {
    /// Writes `{"drafts": […], "added": […]}`.
    /// - Parameters:
    ///   - bottom: the item that new ones go below; nil: they go to the top.
    ///   - aisle: the aisle of a new item.
    @inline(never) mutating func write(
        _ additions: [Addition], below bottom: ItemID?, at time: Timestamp, random: [UUIDBits],
        aisle: (String) -> String?
    ) {
        var used = 0
        let plan = AdditionPlan(
            additions, below: bottom,
            identifier: {
                let bits = random[used]
                used += 1
                return ItemID(.version7(at: time, random: (bits.high, bits.low)))
            },
            completing: { _, new in
                if new.fields[Fields.aisle] == nil, let aisle = aisle(new.text) {
                    new.fields[Fields.aisle] = .string(aisle)
                }
            })
        open()
        write("drafts", plan.drafts)
        name("added")
        openArray()
        for added in plan.added {
            open()
            member("item", bits: added.item.id.bits)
            member("text", added.item.text)
            member("outcome", added.outcome.rawValue)
            close()
        }
        closeArray()
        close()
    }
}
