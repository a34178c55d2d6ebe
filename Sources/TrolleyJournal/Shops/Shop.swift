/// A shop where a list's items are bought.
///
/// A list stores each shop in a field of its own, so that two devices that add or order different shops offline lose nothing.
/// An item says in its field ``Fields/shop`` where it is bought; most are bought anywhere.
public struct Shop: Hashable, Sendable {
    public var name: String
    /// The order of the aisles there; empty: the list's.
    public var aisles: [String]

    public init(name: String, aisles: [String] = []) {
        self.name = name
        self.aisles = aisles
    }

    /// Whether both are equal byte for byte.
    public static func == (left: Shop, right: Shop) -> Bool {
        left.name.hasSameBytes(as: right.name)
            && ListState.text(of: left.aisles).hasSameBytes(as: ListState.text(of: right.aisles))
    }

    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        ListState.text(of: aisles).hashBytes(into: &hasher)
    }

    /// Stores the shop in the list, in this spelling.
    var draft: EntryDraft {
        EntryDraft(.recolourList, fields: [Fields.aisles(at: name): .string(ListState.text(of: aisles) ?? "")])
    }

    /// Removes the shop from the list, in this spelling.
    var removal: EntryDraft { EntryDraft(.recolourList, fields: [Fields.aisles(at: name): .null]) }
}

extension Fields {
    private static let shopPrefix = "aisles:"

    /// The field of a list that has the order of the aisles in a shop: one a line, empty if it is the list's. Null: the list
    /// doesn't have the shop.
    package static func aisles(at shop: String) -> String { shopPrefix + shop }

    /// The shop of a list's field; nil: the field is another one.
    static func shop(of key: String) -> String? {
        let bytes = Array(key.utf8), prefix = Array(shopPrefix.utf8)
        guard bytes.count > prefix.count, bytes.starts(with: prefix) else { return nil }
        return String(decoding: bytes[prefix.count...], as: UTF8.self)
    }

    /// Whether a key of a `renameList` or `recolourList` is a field of the list beside its name and colour.
    static func isOfList(_ key: String) -> Bool {
        key.hasSameBytes(as: aisles) || key.hasSameBytes(as: renamedAisles) || shop(of: key) != nil
    }
}

extension JournalEntry {
    /// The shop that the entry adds, orders or removes; nil: none, or several.
    public var changedShop: (name: String, isRemoved: Bool)? {
        guard operation.concernsList else { return nil }
        var shop: (name: String, isRemoved: Bool)?
        for (key, value) in listFields {
            guard let name = Fields.shop(of: key) else { continue }
            if shop != nil { return nil }
            shop = (name, value == .null)
        }
        return shop
    }

    /// Whether the entry moves rows from one aisle or shop to another.
    package var regroups: Bool {
        if operation == .edit { return fields[Fields.aisle] != nil || fields[Fields.shop] != nil }
        guard operation.concernsList else { return false }
        for (key, _) in fields where Fields.isOfList(key) { return true }
        return false
    }
}

extension FoldedList {
    /// The order of the aisles.
    var aisles: [String] { ListState.aisles(in: text(Fields.aisles)) }

    /// The shops in the order of their names' bytes, in each spelling that somebody has stored.
    var shops: [Shop] {
        var shops: [Shop] = []
        for (key, value) in fields.shown() {
            guard let name = Fields.shop(of: key), let order = value.string else { continue }
            shops.append(Shop(name: name, aisles: ListState.aisles(in: order)))
        }
        return shops
    }
}
