/// Reads the text of server-sent events (WHATWG HTML §9.2.6), in pieces as they arrive. A value without I/O.
struct EventStreamParser {
    struct Event: Hashable {
        var name: String
        var data: String
    }

    /// The longest line, and the longest event, in bytes. Beyond it the stream is not one of a Trolley service.
    static let maximumBytes = 64 << 10

    /// The id of the last event, for the next stream's `Last-Event-ID`.
    private(set) var lastEventID: String?
    /// Whether a line or an event was too long. Nothing is read after that.
    private(set) var isBroken = false
    private var line: [UInt8] = []
    private var endedWithCarriageReturn = false
    private var name = ""
    private var data: [String] = []
    private var dataBytes = 0
    private var id: String?

    /// - Parameter lastEventID: the id of the last event of an earlier stream.
    init(lastEventID: String? = nil) {
        self.lastEventID = lastEventID
        id = lastEventID
    }

    /// Reads further bytes.
    /// - Returns: the events that they complete. Comments, which are the service's heartbeats, are no events.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes where !isBroken {
            switch byte {
            case UInt8(ascii: "\n") where endedWithCarriageReturn: endedWithCarriageReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedWithCarriageReturn = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                endedWithCarriageReturn = false
                line.append(byte)
                isBroken = line.count + dataBytes > Self.maximumBytes
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if line.isEmpty { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let text = String(decoding: value, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = text
        case "data":
            data.append(text)
            dataBytes += value.count + 1
        case "id" where !text.contains("\0"): id = text
        // A comment, or a field that this reader doesn't know.
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, data, dataBytes) = ("", [], 0) }
        lastEventID = id
        if data.isEmpty { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
    }
}
