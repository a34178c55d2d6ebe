/// The value of a field.
public enum FieldValue: Sendable {
    /// A JSON string: the only kind of value that the known fields have.
    case string(String)
    /// Clears the field.
    case null
    /// Any other JSON value of a field that this version doesn't know, as JSON text without white space (keys of
    /// objects in the order of their UTF-8 bytes, numbers as they were written).
    case json(String)

    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }
}

extension FieldValue: Hashable {
    /// Whether both have the same kind and the same UTF-8 bytes.
    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let left), .string(let right)), (.json(let left), .json(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .string(let text):
            hasher.combine(1 as UInt8)
            text.hashBytes(into: &hasher)
        case .json(let text):
            hasher.combine(2 as UInt8)
            text.hashBytes(into: &hasher)
        }
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
