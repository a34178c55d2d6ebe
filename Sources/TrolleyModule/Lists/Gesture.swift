import TrolleyJournal
import TrolleyWire

/// `{"drafts": […], "at": time, "deviceSequence": n, "random": [uuid], "batch"?: id}`: one gesture of a person.
///
/// Needs randomness for each entry's id, for the item of each `add` without one, and for the batch of several drafts without
/// one. Two values per draft and one more always suffice.
struct Gesture {
    let at: Timestamp
    /// Numbered from `deviceSequence` on.
    private(set) var entries: [JournalEntry] = []

    init(_ object: JSONObject) {
        at = object.requiredTimestamp("at")
        let first = object.integer("deviceSequence") ?? 0
        if first <= 0 || first > JournalEntry.maxDeviceSequence { object.fail("deviceSequence: out of range") }
        var random = Array(object.bitsOfMany("random").reversed())
        func identifier() -> UUIDBits {
            let bits = random.popLast()
            if bits == nil { object.fail("random: too few") }
            return .version7(at: at, random: (bits?.high ?? 0, bits?.low ?? 0))
        }
        var drafts = (object.objects("drafts") ?? []).map { EntryDraft($0) }
        var batch: BatchID? = object.identifier("batch")
        if batch == nil, drafts.count > 1 { batch = BatchID(identifier()) }
        for index in drafts.indices {
            if drafts[index].operation == .add, drafts[index].item == nil { drafts[index].item = ItemID(identifier()) }
            if drafts[index].operation.concernsItem, drafts[index].item == nil { object.fail("item is missing") }
            let id = EntryID(identifier())
            // Avoids overflow of an Int64, even for a number out of range.
            entries.append(drafts[index].entry(id: id, batch: batch, deviceSequence: first &+ Int64(index)))
        }
    }
}
