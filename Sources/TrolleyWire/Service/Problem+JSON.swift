import TrolleyJournal

extension Problem {
    /// Reads a problem, also of a later version: only the code is required.
    package init(_ object: JSONObject) {
        self.init(
            ProblemCode(word: object.requiredString("code")), object.string("detail"),
            retryAfter: object.count("retryAfter"),
            reason: object.string("reason").flatMap { ListGoneReason(name: $0) },
            limits: object.object("limits").map { Limits($0) })
        #if !hasFeature(Embedded)
            // JavaScript reads these in the answer itself.
            status = object.count("status") ?? status
            title = object.string("title") ?? title
            candidates = object.objects("candidates")?.map { Candidate($0) }
            requestID = object.string("requestID")
            signedOut = object.bool("signedOut") ? true : nil
        #endif
    }

    /// Writes what a device decides by, without the status and the title.
    package func writeReason(to writer: inout JSONWriter) {
        writer.open()
        writeReasonMembers(to: &writer)
        writer.close()
    }

    private func writeReasonMembers(to writer: inout JSONWriter) {
        writer.member("code", code.rawValue)
        if let detail { writer.member("detail", detail) }
        if let limits {
            writer.name("limits")
            limits.write(to: &writer)
        }
        if let reason { writer.member("reason", reason.rawValue) }
        if let retryAfter { writer.member("retryAfter", retryAfter) }
    }

    #if !hasFeature(Embedded)
        /// The body of an error answer.
        package var json: [UInt8] {
            var writer = JSONWriter()
            write(to: &writer)
            return writer.bytes
        }

        /// - Throws: `.malformed` and `.invalid`.
        package init(json: some Collection<UInt8>) throws(WireError) {
            self = try JSONObject.read(json) { Problem($0) }
        }

        // For code that reads or writes any message.
        public init(from decoder: any Decoder) throws { self = try decoder.json { Problem($0) } }
        public func encode(to encoder: any Encoder) throws { try encoder.json(self) }
    #endif
}

#if !hasFeature(Embedded)
    extension Problem: JSONWritable {
        package func write(to writer: inout JSONWriter) {
            writer.object { writer in
                if let candidates { writer.member("candidates", candidates) }
                writeReasonMembers(to: &writer)
                writer.member("requestID", ifAny: requestID)
                writer.member("signedOut", ifAny: signedOut)
                writer.member("status", status)
                writer.member("title", title)
            }
        }
    }

    extension Problem.Candidate: JSONWritable {
        fileprivate init(_ object: JSONObject) {
            id = object.requiredString("id")
            text = object.requiredString("text")
        }

        package func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("id", id)
                writer.member("text", text)
            }
        }
    }
#endif
