/// A value that an entry replaced: undoing the entry restores it.
///
/// It is recorded when the entry is made, and stored with the entry on the device. The journal alone could not give it
/// later, because compression discards overwritten entries of other people.
public struct PriorDecision: Hashable, Sendable {
    package var register: Register
    package var value: Value
    /// The entry that had decided the value; for an undo or redo, the entry whose decision it restored. nil: there was
    /// none.
    package var by: EntryID?
    /// Whether the entry left the value unchanged: then there is nothing to undo, and the earlier decision still holds.
    public package(set) var unchanged = false

    /// A property that an entry decides.
    package enum Register: Hashable, Sendable {
        case name, colour
        /// A field of the item, or of the list if the entry concerns the list.
        case field(String)
        case markedOff
        case deleted
        case place

        package static func == (left: Register, right: Register) -> Bool {
            switch (left, right) {
            case (.name, .name), (.colour, .colour), (.markedOff, .markedOff), (.deleted, .deleted), (.place, .place):
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
            case .field: "field"
            case .markedOff: "markedOff"
            case .deleted: "deleted"
            case .place: "place"
            }
        }
    }

    /// What kind of values a register has.
    package enum Kind: Sendable {
        case field, flag, after
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

extension JournalEntry {
    /// The item whose registers the entry decides; nil: it decides the list's own.
    var decidedItem: ItemID? { operation.concernsItem ? item : nil }
}

extension PriorDecision.Register {
    /// The registers that have no key.
    private static let plain: [Self] = [.name, .colour, .markedOff, .deleted, .place]

    /// The register of a stored name; nil: there is none of this name.
    /// - Parameter key: of a field.
    package init?(code: String, key: String?) {
        if let key, Self.field(key).code.hasSameBytes(as: code) {
            self = .field(key)
        } else if let found = Self.plain.first(where: { $0.code.hasSameBytes(as: code) }) {
            self = found
        } else if code.hasSameBytes(as: Fields.aisles) {
            // As earlier versions stored it.
            self = .field(Fields.aisles)
        } else {
            return nil
        }
    }

    /// The register of a field of the list.
    init(listField key: String) {
        self =
            if key.hasSameBytes(as: Fields.name) { .name } else if key.hasSameBytes(as: Fields.colour) { .colour } else
            {
                .field(key)
            }
    }

    /// The field that the register is of, of an item or of the list.
    var field: String {
        switch self {
        case .name: Fields.name
        case .colour: Fields.colour
        case .field(let key): key
        case .markedOff, .deleted, .place: ""
        }
    }

    package var kind: PriorDecision.Kind {
        switch self {
        case .name, .colour, .field: .field
        case .markedOff, .deleted: .flag
        case .place: .after
        }
    }
}
