@testable import TrolleyClient

extension Reader {
    /// Server-sent events.
    static let events = [
        Reader(name: "event-stream") { bytes in
            var whole = EventStreamParser()
            let events = whole.read(bytes)
            // In pieces of other sizes it reads the same.
            for size in [1, 3, 7] {
                var pieces = EventStreamParser()
                var read: [EventStreamParser.Event] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    read += pieces.read(bytes[start..<min(start + size, bytes.count)])
                }
                requireEqual(read, events, "pieces of \(size)")
                requireEqual(pieces.lastEventID, whole.lastEventID, "the last id, in pieces of \(size)")
            }
            for event in events {
                require(event.data.utf8.count <= 3 * EventStreamParser.maximumBytes, "an event without a limit")
                require(!event.name.isEmpty, "an event without a name")
            }
        }
    ]
}
