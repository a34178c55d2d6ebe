/// Signals in the payloads of NOTIFY. The first line names the sending process and a number, because PostgreSQL drops
/// equal payloads of one transaction.
enum RoomPayload {
    /// Packs signals, in order.
    static func pack(
        _ signals: [String], from process: String, number: inout UInt64, maximumBytes: Int
    ) -> [String] {
        var payloads: [String] = []
        var payload = ""
        for signal in signals {
            if !payload.isEmpty, payload.utf8.count + 1 + signal.utf8.count > maximumBytes {
                payloads.append(payload)
                payload = ""
            }
            if payload.isEmpty {
                number += 1
                payload = "\(process) \(number)"
            }
            payload += "\n" + signal
        }
        if !payload.isEmpty { payloads.append(payload) }
        return payloads
    }

    /// - Returns: the sending process and its signals; those of a later version are left out.
    static func unpack(_ payload: String) -> (process: String, signals: [RoomSignal])? {
        let lines = payload.split(separator: "\n")
        guard let process = lines.first?.split(separator: " ").first else { return nil }
        return (String(process), lines.dropFirst().compactMap { RoomSignal(line: $0) })
    }
}
