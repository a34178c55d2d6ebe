import TrolleyJournal

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The headers that describe a message over HTTP, so that programs between client and service needn't read the body
/// (2026-07-28, 'Streamable HTTP: Request Metadata').
package struct AssistantHeaders: Sendable {
    /// The values of `MCP-Protocol-Version`.
    private let versions: [String]
    /// The values of `Mcp-Method`.
    private let methods: [String]
    /// The values of `Mcp-Name`.
    private let names: [String]

    package init(versions: [String], methods: [String], names: [String]) {
        self.versions = versions
        self.methods = methods
        self.names = names
    }

    var version: String? { versions.first }

    /// The reason to refuse the message because of its headers; nil: there is none. A message without the version header is of a
    /// version that had no such header.
    func refusal(of request: AssistantRequest) -> AssistantRefusal? {
        if versions.count > 1 || methods.count > 1 || names.count > 1 {
            return .mismatch("a header that must be there once is there several times")
        }
        // For notifications, only the version's header is defined.
        guard request.id != nil else { return unsupported(version) }
        let stated = request.params?.meta?.version
        if let version, let stated, !version.hasSameBytes(as: stated) {
            return .mismatch("MCP-Protocol-Version is not the version in _meta")
        }
        if version == nil, let stated, !AssistantVersion.earlier.contains(stated) {
            return .mismatch("MCP-Protocol-Version is missing")
        }
        if let refusal = unsupported(version) { return refusal }
        guard version == AssistantVersion.present else { return nil }
        if stated == nil { return .incompleteMeta }
        guard let method = methods.first, method.hasSameBytes(as: request.method) else {
            return .mismatch("Mcp-Method is missing, or is not the method in the body")
        }
        guard let name = request.namedObject else { return nil }
        guard let given = names.first.flatMap(Self.decoded), given.hasSameBytes(as: name) else {
            return .mismatch("Mcp-Name is missing, or is not the name in the body")
        }
        return nil
    }

    private func unsupported(_ version: String?) -> AssistantRefusal? {
        guard let version, !AssistantVersion.all.contains(version) else { return nil }
        return .version(version)
    }

    /// The value of a header that may be written in Base64: `=?base64?SGVsbG8=?=`. nil: it can't be read.
    static func decoded(_ value: String) -> String? {
        let (prefix, suffix) = ("=?base64?", "?=")
        let shortest = prefix.utf8.count + suffix.utf8.count
        guard value.hasPrefix(prefix), value.hasSuffix(suffix), value.utf8.count >= shortest else { return value }
        let encoded = String(value.dropFirst(prefix.count).dropLast(suffix.count))
        // Only one spelling stands for a text.
        guard let data = Data(base64Encoded: encoded), data.base64EncodedString() == encoded else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}

extension AssistantRequest {
    /// What `Mcp-Name` must name; nil: the method needs no such header.
    fileprivate var namedObject: String? {
        switch method {
        case "tools/call", "prompts/get": params?.name ?? ""
        case "resources/read": params?.uri ?? ""
        default: nil
        }
    }
}

/// An error of the protocol, as the answer to a message.
struct AssistantRefusal: Error {
    let code: Int64
    let message: String
    /// The version that was asked for, where it isn't spoken here.
    var requested: String?

    static let notJSON = AssistantRefusal(code: -32700, message: "this is no JSON")
    static let notARequest = request("this is no request of JSON-RPC 2.0")
    static let incompleteMeta = parameters("_meta must have the protocol's version and the client's capabilities")

    static func request(_ message: String) -> AssistantRefusal { AssistantRefusal(code: -32600, message: message) }

    static func method(_ method: String) -> AssistantRefusal {
        AssistantRefusal(code: -32601, message: "there is no method \(method)")
    }

    static func parameters(_ message: String) -> AssistantRefusal { AssistantRefusal(code: -32602, message: message) }

    static func mismatch(_ message: String) -> AssistantRefusal { AssistantRefusal(code: -32020, message: message) }

    static func version(_ version: String) -> AssistantRefusal {
        AssistantRefusal(
            code: -32022, message: "this version of the protocol isn't spoken here", requested: version)
    }
}
