import TrolleyJournal

// JSON: Trolley's own, the output of `show --json`, and the exports of other apps.

extension ListDocument {
    private static let format = "trolley-list"

    var json: String {
        var writer = JSONWriter(capacity: 256 + 128 * items.count)
        writer.object { writer in
            writer.key("format")
            writer.string(Self.format)
            writer.key("version")
            writer.integer(1)
            for (key, value) in [("name", name), ("colour", colour)] {
                writer.key(key)
                if let value { writer.string(value) } else { writer.null() }
            }
            writer.write(aisles: aisles)
            writer.write(shops: shops)
            writer.key("items")
            writer.array { writer in
                for item in items {
                    writer.object { writer in
                        writer.key("text")
                        writer.string(item.text)
                        writer.key("markedOff")
                        writer.bool(item.isMarkedOff)
                        writer.key("fields")
                        item.fields.write(to: &writer)
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    static func lists(json text: String) throws(DocumentError) -> [ListDocument] {
        guard let tree = JSONTree(text) else { throw .notJSON }
        if let own = tree["format"]?.text, own == format, tree["version"]?.text != "1" { throw .laterVersion }
        if let rows = tree.grocyRows { return try lists(ofGrocy: rows, in: tree) }
        let documents = lists(in: tree)
        if documents.isEmpty { throw .unknown }
        return documents
    }

    private static func lists(in tree: JSONTree) -> [ListDocument] {
        // Lists of lists: Google Tasks, AnyList, KitchenOwl's and OurGroceries' interfaces.
        if let lists = tree.array ?? tree["items", "lists"]?.array, lists.contains(where: { $0.itemsOfList != nil }) {
            return lists.flatMap { self.lists(in: $0) }
        }
        if let list = tree["list"], list.itemsOfList != nil { return lists(in: list) }
        var document = ListDocument(name: tree["name", "title", "listName"]?.text)
        document.colour = tree["colour"]?.text
        document.aisles = tree["aisles"]?.array?.compactMap { $0.text } ?? []
        for shop in tree["shops"]?.array ?? [] {
            guard let name = shop["name"]?.text else { continue }
            document.shops.append(Shop(name: name, aisles: shop["aisles"]?.array?.compactMap { $0.text } ?? []))
        }
        if let bought = tree["purchase"]?.array ?? tree["items"]?["purchase"]?.array {
            // Bring!: items to buy, and recent purchases.
            let before = tree["recently"]?.array ?? tree["items"]?["recently"]?.array ?? []
            document.items = bought.compactMap { NewItem($0) } + before.compactMap { NewItem($0)?.markedOff }
        } else if let goods = tree["items"]?.array, let lists = tree["shoppinglists"]?.array {
            // KitchenOwl's export: the household's goods with their aisles, none of which is to be bought.
            document.name = document.name ?? lists.first?.text
            document.items = goods.compactMap { NewItem($0)?.markedOff }
            for part in ["recipes", "expenses"] where tree[part]?.array?.isEmpty == false {
                document.leftOut.append(part)
            }
        } else if let items = tree.array ?? tree.itemsOfList {
            document.items = items.compactMap { NewItem($0) }
            // KitchenOwl's purchases.
            document.items += tree["recentItems"]?.array?.compactMap { NewItem($0)?.markedOff } ?? []
        } else if let text = tree["textContent"]?.text {
            // A Google Keep note without a checklist.
            document.items = ItemLine.lines(of: text).map { NewItem($0) }
        } else {
            return []
        }
        return [document]
    }
}

extension JSONTree {
    /// The items of an object that is a list.
    fileprivate var itemsOfList: [JSONTree]? {
        self["items", "listItems", "listContent", "tasks", "list", "shoppingList"]?.array
    }

    /// The text itself, or that of an object's name.
    fileprivate var nameOrText: String? { text ?? self["name"]?.text }
}

extension NewItem {
    /// - Parameter tree: an item of any list: a text, or an object with one.
    fileprivate init?(_ tree: JSONTree) {
        if let text = tree.text {
            guard let line = ItemLine(text) else { return nil }
            self.init(line)
            return
        }
        if case .object(let members)? = tree["fields"] {
            // One of Trolley's own items, unchanged.
            var fields = Fields()
            for (key, value) in members { fields[key] = FieldValue(value, key: key) }
            self.init(fields: fields, isMarkedOff: tree["markedOff"]?.bool ?? false)
            return
        }
        // Mealie: a food, or else a note.
        let food = tree["food"]?.nameOrText, isOfMealie = tree["food", "isFood"] != nil
        var note = tree["note", "notes", "details"]?.text
        guard
            var text = food ?? tree["text", "name", "title", "content", "itemName", "item", "value"]?.text
                ?? (isOfMealie ? note : nil)
        else { return nil }
        if isOfMealie, food == nil { note = nil }
        var quantity = tree["quantity", "amount", "qty"]?.amount
        if let unit = tree["unit"]?.nameOrText {
            quantity = quantity.map { String(joining: $0, " ", unit) }
        } else if isOfMealie, quantity == "1" {
            // Mealie's default.
            quantity = nil
        }
        if let specification = tree["specification", "description"]?.text {
            // Bring! and KitchenOwl have one field for the quantity and for other details.
            if quantity == nil, ItemLine(String(joining: "x × ", specification))?.quantity != nil {
                quantity = specification
            } else {
                note = note ?? specification
            }
        }
        // OurGroceries: 'Milk (2)'.
        if quantity == nil, tree["value"] != nil, let parts = text.endingInCount { (text, quantity) = parts }
        guard var line = ItemLine(text, quantities: quantity == nil) else { return nil }
        line.quantity = line.quantity ?? quantity
        self.init(line)
        fields[Fields.note] = note.map { .string($0) }
        let aisle =
            tree["aisle", "category", "section", "label"]?.nameOrText ?? tree["categoryMatchId"]?.text?.anyListCategory
        fields[Fields.aisle] = aisle.map { .string($0) }
        let marks = tree[
            "markedOff", "isChecked", "checked", "completed", "done", "purchased", "bought", "crossedOff",
            "crossedOffAt"]
        if let mark = marks?.bool ?? (tree["status"] ?? marks)?.text.map({ CSVColumns.isMark($0) }) {
            isMarkedOff = mark
        }
    }

    /// The item, marked off.
    fileprivate var markedOff: NewItem { NewItem(fields: fields, isMarkedOff: true) }
}

extension JSONTree {
    /// A quantity: `2` of the number 2.0; nil for none and for 0.
    var amount: String? {
        guard case .number(let number) = self, number.utf8.contains(UInt8(ascii: ".")) else {
            return text.flatMap { $0 == "0" ? nil : $0 }
        }
        var digits = number[...]
        while digits.last == "0" { digits = digits.dropLast() }
        if digits.last == "." { digits = digits.dropLast() }
        return digits == "0" ? nil : String(digits)
    }
}

extension String {
    /// A text that ends in a count: `Milk (2)`.
    fileprivate var endingInCount: (text: String, count: String)? {
        guard last == ")", let open = lastIndex(of: "("), open > startIndex else { return nil }
        let count = self[index(after: open)...].dropLast(), text = self[..<open]
        guard !count.isEmpty, count.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text.last == " " else {
            return nil
        }
        return (String(text.dropLast()), String(count))
    }

    /// AnyList's category, such as `frozen-foods`, as a name; nil: none.
    fileprivate var anyListCategory: String? {
        guard let first, self != "other" else { return nil }
        return String(first).uppercased() + String(dropFirst().map { $0 == "-" ? " " : $0 })
    }
}

extension FieldValue {
    fileprivate init?(_ tree: JSONTree, key: String) {
        switch tree {
        case .string(let text): self = .string(text)
        case .null: return nil
        default:
            // The known fields must be texts.
            guard key != Fields.text, key != Fields.quantity, key != Fields.note, key != Fields.aisle else {
                return nil
            }
            var writer = JSONWriter(capacity: 32)
            tree.write(to: &writer)
            self = .json(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}

extension JSONTree {
    /// Canonical JSON: without white space, with keys sorted by their UTF-8 bytes. Of equal keys the last one stays.
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            var last: [String: JSONTree] = [:]
            for member in members { last[member.key] = member.value }
            let sorted = last.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            writer.object { writer in
                for (key, value) in sorted {
                    writer.key(key)
                    value.write(to: &writer)
                }
            }
        case .array(let elements):
            writer.array { writer in
                for element in elements { element.write(to: &writer) }
            }
        case .string(let text): writer.string(text)
        case .bool(let bool): writer.bool(bool)
        case .number(let number): writer.raw(number)
        case .null: writer.null()
        }
    }
}
