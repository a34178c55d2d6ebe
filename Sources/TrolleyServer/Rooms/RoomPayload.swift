/// Signals in the payloads of NOTIFY.
///
/// The first line names the sending process and the number of its last signal in the payload, so that receivers can
/// count what they have missed. So payloads also differ, as they must: PostgreSQL drops equal ones of one transaction.
enum RoomPayload {
    /// A payload that was received.
    struct Received {
        let process: String
        /// The number of the last signal, from 1; nil if it is missing.
        let number: UInt64?
        /// The number of signals, with those of a later version.
        let count: Int
        /// Without those of a later version.
        let signals: [RoomSignal]
    }

    /// Bytes of a number, and of the spaces and the line break around it.
    private static let numberBytes = 22

    /// Packs signals, in order.
    /// - Parameter number: the number of the last signal of the process; advances by one for each signal.
    static func pack(
        _ signals: [String], from process: String, number: inout UInt64, maximumBytes: Int
    ) -> [String] {
        var payloads: [String] = []
        var lines: [String] = []
        var bytes = 0
        func finish() {
            guard !lines.isEmpty else { return }
            number &+= UInt64(lines.count)
            payloads.append("\(process) \(number)\n" + lines.joined(separator: "\n"))
            (lines, bytes) = ([], 0)
        }
        for signal in signals {
            let more = signal.utf8.count + 1
            if process.utf8.count + numberBytes + bytes + more > maximumBytes { finish() }
            lines.append(signal)
            bytes += more
        }
        finish()
        return payloads
    }

    /// - Parameter own: the name of this process. What it has sent comes back to it, too, and is not read.
    /// - Returns: nil for a payload of its own, or without a sender.
    static func unpack(_ payload: String, except own: String? = nil) -> Received? {
        var payload = payload
        return payload.withUTF8 { bytes in
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            let head =
                lines.first?.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) } ?? []
            guard let process = head.first, process != own else { return nil }
            return Received(
                process: process, number: head.count > 1 ? UInt64(head[1]) : nil, count: lines.count - 1,
                signals: lines.dropFirst().compactMap { RoomSignal(line: UnsafeBufferPointer(rebasing: $0)) })
        }
    }
}
