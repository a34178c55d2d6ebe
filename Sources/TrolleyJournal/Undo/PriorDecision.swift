/// A value that an entry replaced: undoing the entry restores it.
///
/// It is recorded when the entry is made, and stored with the entry on the device. The journal alone could not give it
/// later, because compression discards overwritten entries of other people.
public struct PriorDecision: Hashable, Sendable, Codable {
    package var register: Register
    package var value: Value
    /// The entry that had decided the value; for an undo or redo, the entry whose decision it restored. nil: there was
    /// none.
    package var by: EntryID?
    /// Whether the entry left the value unchanged: then there is nothing to undo, and the earlier decision still holds.
    public package(set) var unchanged = false

    /// A property that an entry decides.
    package enum Register: Hashable, Sendable {
        case name, colour, aisles
        case field(String)
        case markedOff
        case deleted
        case place

        package static func == (left: Register, right: Register) -> Bool {
            switch (left, right) {
            case (.name, .name), (.colour, .colour), (.aisles, .aisles), (.markedOff, .markedOff), (.deleted, .deleted),
                (.place, .place):
                true
            case (.field(let left), .field(let right)): left.hasSameBytes(as: right)
            default: false
            }
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(code)
            if case .field(let key) = self { key.hashBytes(into: &hasher) }
        }

        /// The register's stored name.
        package var code: String {
            switch self {
            case .name: "name"
            case .colour: "colour"
            case .aisles: "aisles"
            case .field: "field"
            case .markedOff: "markedOff"
            case .deleted: "deleted"
            case .place: "place"
            }
        }
    }

    /// A value of a register.
    package enum Value: Hashable, Sendable {
        case field(FieldValue)
        case flag(Bool)
        case after(ItemID?)
    }

    package init(_ register: Register, was value: Value, by entry: EntryID?) {
        self.register = register
        self.value = value
        self.by = entry
    }
}

// Stored as a flat object, for instance {"register": "field", "key": "note", "text": "ripe", "by": "…"}.
#if !hasFeature(Embedded)
    extension PriorDecision {
        private enum CodingKeys: String, CodingKey {
            case register, key, text, json, flag, after, by, unchanged
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            by = try container.decodeIfPresent(EntryID.self, forKey: .by)
            unchanged = try container.decodeIfPresent(Bool.self, forKey: .unchanged) ?? false
            let text = try container.decodeIfPresent(String.self, forKey: .text).map { FieldValue.string($0) }
            let json = try container.decodeIfPresent(String.self, forKey: .json).map { FieldValue.json($0) }
            let flag = try container.decodeIfPresent(Bool.self, forKey: .flag) ?? false
            switch try container.decode(String.self, forKey: .register) {
            case "name": (register, value) = (.name, .field(text ?? json ?? .null))
            case "colour": (register, value) = (.colour, .field(text ?? json ?? .null))
            case "aisles": (register, value) = (.aisles, .field(text ?? json ?? .null))
            case "field":
                register = .field(try container.decode(String.self, forKey: .key))
                value = .field(text ?? json ?? .null)
            case "markedOff": (register, value) = (.markedOff, .flag(flag))
            case "deleted": (register, value) = (.deleted, .flag(flag))
            case "place":
                register = .place
                value = .after(try container.decodeIfPresent(ItemID.self, forKey: .after))
            default:
                throw DecodingError.dataCorruptedError(
                    forKey: .register, in: container, debugDescription: "not something that an entry decides")
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(register.code, forKey: .register)
            try container.encodeIfPresent(by, forKey: .by)
            if unchanged { try container.encode(true, forKey: .unchanged) }
            if case .field(let key) = register { try container.encode(key, forKey: .key) }
            switch value {
            case .field(.string(let text)): try container.encode(text, forKey: .text)
            case .field(.json(let json)): try container.encode(json, forKey: .json)
            case .field(.null): break
            case .flag(let flag): try container.encode(flag, forKey: .flag)
            case .after(let item): try container.encodeIfPresent(item, forKey: .after)
            }
        }
    }
#endif
