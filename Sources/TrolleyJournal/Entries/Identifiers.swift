/// A UUID with a type, so that an item's id can't be passed for a list's.
public protocol Identifier: Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable, LosslessStringConvertible {
    var bits: UUIDBits { get }
    init(_ bits: UUIDBits)
}

/// A shopping list.
public struct ListID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// An item of a list. The device that adds the item makes the id.
public struct ItemID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// An entry of a journal: a UUIDv7, made on the device; the idempotency key.
public struct EntryID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// A gesture: the entries that are undone together.
public struct BatchID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// An account, of one person.
public struct AccountID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// An invitation to a list.
public struct InvitationID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// A device of an account. Each sign-in makes a new one.
public struct DeviceID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// A room: a short-lived channel between the devices that have a list open.
public struct RoomID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

/// A hail: the invitation of one device to a room.
public struct HailID: Identifier {
    public let bits: UUIDBits
    public init(_ bits: UUIDBits) { self.bits = bits }
}

extension Identifier {
    /// A new UUIDv7 identifier.
    public static func version7(at time: Timestamp, random: (UInt64, UInt64)) -> Self {
        Self(.version7(at: time, random: random))
    }

    public init?(_ description: String) {
        guard let bits = UUIDBits(description) else { return nil }
        self.init(bits)
    }

    public var description: String { bits.description }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }

    #if !hasFeature(Embedded)
        public init(from decoder: any Decoder) throws { self = try decoder.text("a UUID") }

        public func encode(to encoder: any Encoder) throws { try encoder.text(self) }

        public var codingKey: any CodingKey { IdentifierKey(stringValue: bits.description) }

        public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
    #endif
}

#if !hasFeature(Embedded)
    /// Encodes a dictionary that is keyed by an identifier as a JSON object.
    private struct IdentifierKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
#endif
