import TrolleyWire

/// A message of the program in which an assistant works (JSON-RPC 2.0).
struct AssistantRequest: Decodable {
    /// A number or a text, as it came.
    enum Identifier: Decodable, Sendable {
        case number(Int64)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        func write(to writer: inout JSONWriter) {
            switch self {
            case .number(let number): writer.integer(number)
            case .text(let text): writer.string(text)
            }
        }
    }

    /// A tool's arguments by their names. The protocol's other parts are read also if a model has mistaken these.
    struct Arguments: Decodable {
        /// A null stands for an argument that isn't given. nil: the value is no object.
        private let values: [String: Argument?]?

        init(from decoder: any Decoder) throws {
            values = try? decoder.singleValueContainer().decode([String: Argument?].self)
        }

        /// - Throws: `AssistantFailure` for an argument of another kind.
        func texts() throws(AssistantFailure) -> [String: [String]] {
            guard let values else { throw AssistantFailure("The arguments are an object, by their names.") }
            var texts: [String: [String]] = [:]
            for (name, argument) in values.sorted(by: { $0.key < $1.key }) {
                guard let argument else { continue }
                guard let given = argument.texts else {
                    throw AssistantFailure("'\(name)' is a text, or a list of texts.")
                }
                texts[name] = given
            }
            return texts
        }
    }

    /// A tool's argument: a text, or several. Numbers become texts, because a model writes 6 for '6'.
    struct Argument: Decodable {
        /// nil: the value is neither.
        let texts: [String]?

        init(from decoder: any Decoder) throws {
            if var values = try? decoder.unkeyedContainer() {
                var texts: [String]? = []
                while !values.isAtEnd {
                    guard let text = (try? values.decode(Single.self))?.text else {
                        texts = nil
                        break
                    }
                    texts?.append(text)
                }
                self.texts = texts
            } else {
                texts = (try? Single(from: decoder)).map { [$0.text] }
            }
        }

        private struct Single: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if let text = try? value.decode(String.self) {
                    self.text = text
                } else if let number = try? value.decode(Int64.self) {
                    text = String(number)
                } else {
                    text = String(try value.decode(Double.self))
                }
            }
        }
    }

    struct Meta: Decodable {
        let version: String?
        /// Whether the client says what it can do, as a request of 2026-07-28 must.
        let hasCapabilities: Bool

        private enum CodingKeys: String, CodingKey {
            case version = "io.modelcontextprotocol/protocolVersion"
            case capabilities = "io.modelcontextprotocol/clientCapabilities"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            version = try container.decodeIfPresent(String.self, forKey: .version)
            hasCapabilities = container.contains(.capabilities)
        }
    }

    struct Parameters: Decodable {
        let protocolVersion: String?
        let name: String?
        let arguments: Arguments?
        let uri: String?
        let meta: Meta?

        private enum CodingKeys: String, CodingKey {
            case protocolVersion, name, arguments, uri
            case meta = "_meta"
        }
    }

    let jsonrpc: String
    /// nil: a notification, which gets no answer.
    let id: Identifier?
    /// Whether the id is there and is null, which no request's may be.
    let hasNullID: Bool
    let method: String
    let params: Parameters?
    /// Whether the parameters are there, and can't be read.
    let hasWrongParameters: Bool

    private enum CodingKeys: CodingKey { case jsonrpc, id, method, params }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        jsonrpc = try container.decode(String.self, forKey: .jsonrpc)
        id = try container.decodeIfPresent(Identifier.self, forKey: .id)
        hasNullID = id == nil && container.contains(.id)
        method = try container.decode(String.self, forKey: .method)
        params = try? container.decodeIfPresent(Parameters.self, forKey: .params)
        let isGiven = container.contains(.params) && (try? container.decodeNil(forKey: .params)) == false
        hasWrongParameters = isGiven && params == nil
    }
}

/// A request of an assistant that isn't carried out, with the reason.
package struct AssistantFailure: Error, Hashable {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}
