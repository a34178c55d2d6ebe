package import TrolleyJournal
import TrolleyWire

/// The outcome of a tool's call.
package enum AssistantOutcome: Hashable, Sendable {
    /// The answer, a JSON object.
    case document(String)
    /// A sentence about the error and its remedy. The model hears it, and may mend the call.
    case failed(String)
}

/// A list as a resource.
package struct AssistantResource: Hashable, Sendable {
    package let list: ListID
    package let name: String

    package init(list: ListID, name: String) {
        self.list = list
        self.name = name
    }

    private static let prefix = "trolley://lists/"

    var uri: String { Self.uri(of: list) }

    static func uri(of list: ListID) -> String { prefix + list.description }

    /// The list of an address; nil: it is another address.
    static func list(of uri: String) -> ListID? {
        uri.begins(with: prefix) ? ListID(String(decoding: uri.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)) : nil
    }
}

/// A request that waits for its answer.
package struct AssistantExchange: Sendable {
    let id: AssistantRequest.Identifier
    let statesStatus: Bool

    /// The answer to a tool's call.
    package func reply(_ outcome: AssistantOutcome) -> AssistantReply {
        AssistantReply(to: id) { writer in
            let (text, isError): (String, Bool) =
                switch outcome {
                case .document(let document): (document, false)
                case .failed(let sentence): (sentence, true)
                }
            writer.member("content", [text]) { text, writer in
                writer.member("type", "text")
                writer.member("text", text)
            }
            if !isError {
                writer.key("structuredContent")
                writer.raw(text)
            }
            writer.member("isError", isError)
        }
    }

    /// The answer with all lists.
    package func reply(resources: [AssistantResource]) -> AssistantReply {
        cacheable { writer in
            writer.member("resources", resources) { resource, writer in
                writer.member("uri", resource.uri)
                writer.member("name", resource.name)
                writer.member("mimeType", "application/json")
            }
        }
    }

    /// The answer with a list's items, or with the reason why there are none.
    package func reply(_ outcome: AssistantOutcome, reading list: ListID) -> AssistantReply {
        switch outcome {
        case .failed(let sentence): return refuse(AssistantFailure(sentence))
        case .document(let document):
            return cacheable { writer in
                writer.member("contents", [document]) { text, writer in
                    writer.member("uri", AssistantResource.uri(of: list))
                    writer.member("mimeType", "application/json")
                    writer.member("text", text)
                }
            }
        }
    }

    /// The answer to a request that can't be carried out.
    package func refuse(_ failure: AssistantFailure) -> AssistantReply {
        AssistantReply(.parameters(failure.sentence), to: id, statesStatus: statesStatus)
    }

    /// A result with the members that say how long it may be cached: not at all, because clients aren't told of changes.
    func cacheable(_ members: (inout JSONWriter) -> Void) -> AssistantReply {
        AssistantReply(to: id) { writer in
            members(&writer)
            writer.member("ttlMs", 0)
            writer.member("cacheScope", "private")
        }
    }
}
