import TrolleyJournal

extension UploadResponse: JSONWritable {
    package init(_ object: JSONObject) {
        self.init(
            results: (object.objects("results") ?? []).map { UploadResult($0) }, token: object.requiredString("token"))
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", ifAny: code)
            writer.member("results", results)
            writer.member("token", token)
        }
    }

    #if !hasFeature(Embedded)
        /// The message, with keys in alphabetical order.
        public var json: [UInt8] {
            var writer = JSONWriter(capacity: 128 + 192 * results.count)
            write(to: &writer)
            return writer.bytes
        }

        /// - Throws: `.malformed` and `.invalid`.
        public init(json: some Collection<UInt8>) throws(WireError) {
            self = try JSONObject.read(json) { UploadResponse($0) }
        }

        // For code that reads or writes any message.
        public init(from decoder: any Decoder) throws { self = try decoder.json { UploadResponse($0) } }
        public func encode(to encoder: any Encoder) throws { try encoder.json(self) }
    #endif
}

extension UploadResult: JSONWritable {
    /// Reads a result. A status that only a later version knows becomes `rejected` with `internalError`: the device keeps the
    /// entry and sends it again, which is harmless because of its id.
    fileprivate init(_ object: JSONObject) {
        self = .rejected(object.identifier("id"), .internalError, "")
        detail = object.string("detail")
        guard let known = Status(name: object.requiredString("status")) else { return }
        status = known
        sequence = object.integer("sequence").map { SequenceNumber(rawValue: $0) }
        code = object.string("code").map { ProblemCode(word: $0) }
        madeAt = object.timestamp("madeAt")
        #if !hasFeature(Embedded)
            // A browser doesn't use it.
            receivedAt = object.timestamp("receivedAt")
        #endif
    }

    package func write(to writer: inout JSONWriter) {
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
