package import TrolleyJournal

/// The part of a change that affects the shown list. States of the share and new anchors don't.
package enum AppliedChange {
    case entry(ConfirmedEntry)
    case discard([EntryID])
    case nothing

    /// Reads a change as the service sends it. An unknown type is `.invalid`, because skipping it would leave a silent gap.
    init(from reader: inout JSONReader) throws(WireError) {
        var type = ""
        var entry: ConfirmedEntry?
        var discarded: [EntryID] = []
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "type" {
                type = try reader.string()
            } else if key == "entry" {
                entry = try ConfirmedEntry(from: &reader)
            } else if key == "entries" {
                try reader.beginArray()
                while try reader.nextElement() { discarded.append(try reader.identifier()) }
            } else {
                try reader.skip()
            }
        }
        if type.isText("entry"), let entry {
            self = .entry(entry)
        } else if type.isText("discard") {
            self = .discard(discarded)
        } else if type.isText("share") {
            self = .nothing
        } else {
            throw .invalid("a change of a type that this version doesn't know; update it")
        }
    }
}
