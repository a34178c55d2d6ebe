import TrolleyWire

/// The answer to a message.
package struct AssistantReply: Sendable {
    /// JSON, in one line.
    package let bytes: [UInt8]
    /// The code of the protocol's error; nil: it is a result.
    let code: Int64?
    /// Whether the request was of a version that says which status an answer over HTTP has.
    let statesStatus: Bool

    /// The status of the answer over HTTP.
    package var httpStatus: Int {
        guard let code else { return 200 }
        switch code {
        // Messages that are no requests, and those that disagree with their headers.
        case -32700, -32600, -32020, -32022: return 400
        // Clients of the earlier versions read an error only in an answer with this status.
        case _ where !statesStatus: return 200
        default: return code == -32601 ? 404 : 400
        }
    }

    init(_ refusal: AssistantRefusal, to id: AssistantRequest.Identifier?, statesStatus: Bool = false) {
        code = refusal.code
        self.statesStatus = statesStatus
        bytes = Self.message(id) { writer in
            writer.member("error") { writer in
                writer.member("code", refusal.code)
                writer.member("message", refusal.message)
                guard let requested = refusal.requested else { return }
                writer.member("data") { writer in
                    writer.member("supported", AssistantVersion.all)
                    writer.member("requested", requested)
                }
            }
        }
    }

    /// The answer to a message that is too long to be read.
    package static func tooLong(maximumBytes: Int) -> AssistantReply {
        AssistantReply(.request("the message has more than \(maximumBytes) bytes"), to: nil)
    }

    /// A result with these members.
    init(to id: AssistantRequest.Identifier, _ members: (inout JSONWriter) -> Void) {
        code = nil
        statesStatus = true
        bytes = Self.message(id) { writer in
            writer.member("result") { writer in
                members(&writer)
                writer.member("resultType", "complete")
                writer.member("_meta") { writer in
                    writer.member("io.modelcontextprotocol/serverInfo") { $0.writeServerInfo() }
                }
            }
        }
    }

    private static func message(
        _ id: AssistantRequest.Identifier?, _ member: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("jsonrpc", "2.0")
            writer.key("id")
            if let id { id.write(to: &writer) } else { writer.raw("null") }
            member(&writer)
        }
        return writer.bytes
    }
}

extension JSONWriter {
    /// The members that name this software.
    mutating func writeServerInfo() {
        member("name", "trolley")
        member("title", "Trolley")
        member("version", SoftwareVersion.current)
    }
}
