import TrolleyJournal

extension UploadResponse {
    /// The same JSON as `Codable` writes, with keys in alphabetical order.
    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 128 + 192 * results.count)
        writer.object { writer in
            if let code {
                writer.key("code")
                writer.string(code.rawValue)
            }
            writer.key("results")
            writer.array { writer in
                for result in results { result.write(to: &writer) }
            }
            writer.key("token")
            writer.string(token)
        }
        return writer.bytes
    }
}

extension UploadResult {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            if let code {
                writer.key("code")
                writer.string(code.rawValue)
            }
            if let detail {
                writer.key("detail")
                writer.string(detail)
            }
            if let id {
                writer.key("id")
                writer.identifier(id)
            }
            if let madeAt {
                writer.key("madeAt")
                writer.timestamp(madeAt)
            }
            if let receivedAt {
                writer.key("receivedAt")
                writer.timestamp(receivedAt)
            }
            if let sequence {
                writer.key("sequence")
                writer.integer(sequence.rawValue)
            }
            writer.key("status")
            writer.string(status.rawValue)
        }
    }
}
