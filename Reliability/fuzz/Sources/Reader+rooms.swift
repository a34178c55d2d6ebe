import TrolleyJournal

@testable import TrolleyServer
@testable import TrolleyWire

extension Reader {
    /// What devices say in rooms, and processes to each other.
    static let rooms = [
        Reader(name: "socket-request") { survives($0, "request", { try SocketRequest(json: $0) }, \.json) },
        Reader(name: "socket-event") { survives($0, "event", { try SocketEvent(json: $0) }, \.json) },
        Reader(name: "room-frame") { bytes in
            survives(bytes, "frame", { try RoomFrame(json: $0) }, \.json)
            survives(bytes, "credentials", { try RoomCredentials(json: $0) }, \.json)
        },
        Reader(name: "room-signal") { bytes in
            guard let received = RoomPayload.unpack(bytes.text) else { return }
            require(received.signals.count <= max(0, received.count), "more signals than lines")
            for signal in received.signals {
                requireEqual(RoomSignal(signal.description), signal, "a signal differs after it was written")
            }
            var number = (received.number ?? 0) &- UInt64(received.signals.count)
            let payloads = RoomPayload.pack(
                received.signals.map(\.description), from: received.process, number: &number, maximumBytes: .max)
            guard let payload = payloads.first else { return }
            requireEqual(RoomPayload.unpack(payload)?.signals ?? [], received.signals, "a payload differs")
        },
    ]
}
