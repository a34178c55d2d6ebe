#if !hasFeature(Embedded)
    // `Codable` for a value whose members are named by its one reader and its one writer, where it is part of a `Codable`
    // message or read by generic code.

    extension Decoder {
        package func json<Value>(_ read: (JSONObject) -> Value) throws -> Value {
            var writer = JSONWriter()
            try JSONTree(from: self).write(to: &writer)
            do { return try JSONObject.read(writer.bytes, read) } catch {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: error.description, underlyingError: error))
            }
        }
    }

    extension Encoder {
        package func json(_ value: some JSONWritable) throws {
            var writer = JSONWriter()
            value.write(to: &writer)
            guard let tree = JSONTree(String(decoding: writer.bytes, as: UTF8.self)) else {
                throw EncodingError.invalidValue(
                    value, EncodingError.Context(codingPath: codingPath, debugDescription: "a text has U+0000"))
            }
            try tree.encode(to: self)
        }
    }

    extension JSONTree: Codable {
        private struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: Key.self) {
                self = .object(
                    try container.allKeys.map { key in
                        (key: key.stringValue, value: try container.decode(JSONTree.self, forKey: key))
                    })
            } else if var container = try? decoder.unkeyedContainer() {
                var elements: [JSONTree] = []
                while !container.isAtEnd { elements.append(try container.decode(JSONTree.self)) }
                self = .array(elements)
            } else {
                self = try JSONTree(scalar: try decoder.singleValueContainer())
            }
        }

        private init(scalar container: any SingleValueDecodingContainer) throws {
            if container.decodeNil() {
                self = .null
            } else if let bool = try? container.decode(Bool.self) {
                self = .bool(bool)
            } else if let integer = try? container.decode(Int64.self) {
                self = .number(String(integer))
            } else if let number = try? container.decode(Double.self) {
                self = .number(String(number))
            } else {
                self = .string(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .object(let members):
                var container = encoder.container(keyedBy: Key.self)
                for member in members { try container.encode(member.value, forKey: Key(stringValue: member.key)) }
            case .array(let elements):
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(element) }
            default:
                var container = encoder.singleValueContainer()
                switch self {
                case .string(let text): try container.encode(text)
                case .bool(let bool): try container.encode(bool)
                case .number(let text):
                    if let integer = Int64(text) {
                        try container.encode(integer)
                    } else {
                        try container.encode(Double(text))
                    }
                default: try container.encodeNil()
                }
            }
        }

        fileprivate func write(to writer: inout JSONWriter) {
            switch self {
            case .object(let members):
                writer.object { writer in
                    for member in members {
                        writer.key(member.key)
                        member.value.write(to: &writer)
                    }
                }
            case .array(let elements): writer.array { writer in for element in elements { element.write(to: &writer) } }
            case .string(let text): writer.string(text)
            case .bool(let bool): writer.bool(bool)
            case .number(let text): writer.raw(text)
            case .null: writer.null()
            }
        }
    }
#endif
