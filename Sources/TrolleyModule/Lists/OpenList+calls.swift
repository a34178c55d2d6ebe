import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls about an open list. `web/trolley.js` documents inputs and outputs.

extension OpenList {
    func perform(
        _ call: ModuleCall, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        switch call {
        case .apply:
            _ = message.object(streaming: .changes)
            try message.check()
            apply(message.changes)
            writer.open()
            writer.member("through", number: fold.through.rawValue)
            writer.close()
        case .arrivals: try arrive(message, &writer)
        case .state: writeState(to: &writer)
        case .digest: writeDigests(to: &writer)
        default:
            let object = message.object()
            try perform(call, object, message, &writer)
        }
    }

    private func perform(
        _ call: ModuleCall, _ object: JSONObject, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        switch call {
        case .setPending:
            let pending = object.pendingEntries()
            try message.check()
            setPending(pending)
        case .append:
            let gesture = Gesture(object)
            try message.check()
            append(gesture, &writer)
        case .forget, .pass:
            let entries = object.entryIDs("entries")
            try message.check()
            if call == .pass { pass(entries) } else { forget(entries) }
        case .match:
            let text = object.requiredString("text")
            let isSearch = object.bool("isSearch")
            try message.check()
            let items = state.items
            writer.open()
            writer.member(
                "items", ids: (isSearch ? items.found(by: text) : items.matching(text)).map { items[$0].id.bits })
            writer.close()
        case .messages: try writeMessages(object, message, &writer)
        case .add: try writeAdditions(object, message, &writer)
        case .plan:
            let isRedo = object.requiredString("cause").isText("redo")
            let isBrief = object.bool("isBrief")
            try message.check()
            writePlan(isRedo: isRedo, isBrief: isBrief, to: &writer)
        default: throw .invalid("this call is not about a list")
        }
    }

    /// The last messages, or all pinned ones.
    private func writeMessages(
        _ object: JSONObject, _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        let limit = object.count("limit") ?? .max
        let item: ItemID? = object.identifier("item")
        let person: AccountID? = object.identifier("person")
        let isPinned = object.bool("pinned")
        try message.check()
        let conversation = fold.conversation
        writer.open()
        writer.member("count", conversation.count)
        writer.member(
            "messages",
            isPinned
                ? conversation.pinned(for: person) : conversation.messages(limit: limit, about: item, for: person))
        writer.close()
    }

    private func writeState(to writer: inout JSONWriter) {
        writer = JSONWriter(capacity: 256 + 160 * fold.itemCount)
        writer.open()
        writer.member("through", number: fold.through.rawValue)
        state.writeMembers(to: &writer)
        writer.close()
    }

    /// Compare `confirmed` with the service's digest.
    private func writeDigests(to writer: inout JSONWriter) {
        writer.open()
        writer.member("through", number: fold.through.rawValue)
        writer.member("shown", state.digest.description)
        writer.member("confirmed", fold.confirmedState.digest.description)
        writer.close()
    }

    private func append(_ gesture: Gesture, _ writer: inout JSONWriter) {
        let (madeAt, made) = append(gesture.entries, at: gesture.at)
        writer.open()
        writer.member("madeAt", madeAt)
        writer.name("records")
        writer.openArray()
        for (entry, record) in made {
            if let record {
                record.write(to: &writer)
            } else {
                writer.open()
                writer.name("entry")
                entry.write(to: &writer)
                writer.close()
            }
        }
        writer.closeArray()
        writer.close()
    }

    /// The entries of the to-apply queue that may show now, and the items in it that need never be shown.
    private func arrive(
        _ message: JSONMessage, _ writer: inout JSONWriter
    ) throws(WireError) {
        let object = message.object(streaming: .entries)
        let waiting = message.entries
        var search = UnseenItemSearch(received: object.requiredTimestamp("received"))
        let isShopping = object.bool("shopping")
        try message.check()
        for entry in waiting { search.scan(entry) }
        if search.needsSecondPass { for entry in waiting { search.collect(entry) } }
        let unseenItems = search.needsSecondPass ? search.unseenItems(over: fold) : FinishedUnseenItems()
        noteUnseen(unseenItems)
        let apply =
            isShopping ? waiting.showingWhileShopping(finished: unseenItems.entries) : waiting.map { $0.entry.id }
        writer.open()
        writer.member("apply", ids: apply.map { $0.bits })
        writer.name("unseen")
        writer.openArray()
        for item in unseenItems.markedOff.keys.bitsInOrder() {
            writer.open()
            writer.member("item", bits: item)
            writer.member("entry", bits: unseenItems.markedOff[ItemID(item)]?.bits)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }

    private func writePlan(isRedo: Bool, isBrief: Bool, to writer: inout JSONWriter) {
        let step =
            isRedo ? undo.nextRedo(over: fold, isBrief: isBrief) : undo.nextUndo(over: fold, isBrief: isBrief)
        writer.open()
        if isBrief {
            writer.member("gesture", ids: step?.gesture.map { $0.id.bits } ?? [])
        } else {
            writer.write("drafts", isRedo ? undo.planRedo(over: fold) : undo.planUndo(over: fold))
            writer.name("step")
            if let step { step.write(to: &writer) } else { writer.null() }
        }
        writer.close()
    }
}
