import TrolleyWire

/// A message of the program in which an assistant works (JSON-RPC 2.0).
struct AssistantRequest: Decodable {
    /// A number or a text, as it came.
    enum Identifier: Decodable {
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

    /// A tool's argument: a text, or several. Numbers become texts, because a model writes 6 for '6'.
    struct Argument: Decodable {
        let texts: [String]

        init(from decoder: any Decoder) throws {
            if var values = try? decoder.unkeyedContainer() {
                var texts: [String] = []
                while !values.isAtEnd { texts.append(try values.decode(Single.self).text) }
                self.texts = texts
            } else {
                texts = [try Single(from: decoder).text]
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

        private enum CodingKeys: String, CodingKey { case version = "io.modelcontextprotocol/protocolVersion" }
    }

    struct Parameters: Decodable {
        let protocolVersion: String?
        let name: String?
        let arguments: [String: Argument]?
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
    let method: String
    let params: Parameters?
}
