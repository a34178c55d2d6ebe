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
}
