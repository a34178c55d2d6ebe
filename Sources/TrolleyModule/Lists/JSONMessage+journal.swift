import TrolleyJournal
import TrolleyWire

// Calls about journals, without an open list.

extension JSONMessage {
    /// `{"at": time, "random": [uuid]}` → `{"ids": [uuid]}`: new identifiers, of version 7.
    func identifiers(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let at = object.requiredTimestamp("at")
        let random = object.bitsOfMany("random")
        try check()
        writer.open()
        writer.member("ids", ids: random.map { .version7(at: at, random: ($0.high, $0.low)) })
        writer.close()
    }

    /// `{"text": "…", "asWritten"?: bool}` → `{"lines": [{"text", "quantity", "markedOff"}]}`: pasted lines. `asWritten`: without
    /// looking for quantities.
    func lines(_ writer: inout JSONWriter) throws(WireError) {
        let object = object()
        let text = object.requiredString("text")
        let lines = ItemLine.lines(of: text, quantities: !object.bool("asWritten"))
        try check()
        writer.open()
        writer.name("lines")
        writer.openArray()
        for line in lines {
            writer.open()
            writer.member("text", line.text)
            writer.member("quantity", line.quantity)
            writer.member("markedOff", line.isMarkedOff)
            writer.close()
        }
        writer.closeArray()
        writer.close()
    }

    /// `{"entries": […], "cutOff": time}` → the state, the digest, and the result of compression.
    func inspect(_ writer: inout JSONWriter) throws(WireError) {
        let object = object(streaming: .entries)
        let cutOff = object.requiredTimestamp("cutOff")
        try check()
        Inspection(of: entries, olderThan: cutOff).write(to: &writer)
    }

    /// `{"entries": […], "cutOff": time, "append": [entry]}` → `{"resolutions": […], "digest"}`: how the
    /// service resolves entries that arrive after a compression.
    func resolve(_ writer: inout JSONWriter) throws(WireError) {
        let object = object(streaming: .entries)
        var appended: [ConfirmedEntry] = []
        object.elements("append") { reader throws(WireError) in appended.append(try ConfirmedEntry(from: &reader)) }
        let cutOff = object.requiredTimestamp("cutOff")
        try check()

        var live = Compression(of: entries, olderThan: cutOff).applied(to: entries)
        var resolver = AppendResolver(activity: entries, live: live)
        writer.open()
        writer.name("resolutions")
        writer.openArray()
        for entry in appended {
            let resolution = resolver.resolve(entry)
            live.removeAll { resolution.relocated.contains($0.entry.id) }
            for var entry in resolution.restored + [resolution.entry] {
                entry.sequence = (live.last?.sequence ?? .start).advanced(by: 1)
                live.append(entry)
            }
            resolution.write(to: &writer)
        }
        writer.closeArray()
        writer.member("digest", ListState(folding: live).digest.description)
        writer.close()
    }
}

extension AppendResolver.Resolution {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("lifted", ids: relocated.map { $0.bits })
        writer.name("returning")
        writer.openArray()
        for entry in restored {
            writer.open()
            writer.member("id", bits: entry.entry.id.bits)
            writer.member("after", bits: entry.entry.after?.bits)
            writer.close()
        }
        writer.closeArray()
        writer.member("after", bits: entry.entry.after?.bits)
        writer.close()
    }
}
