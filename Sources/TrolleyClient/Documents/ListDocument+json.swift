import TrolleyJournal
import TrolleyWire

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
            if !aisles.isEmpty {
                writer.key("aisles")
                writer.array { writer in
                    for aisle in aisles { writer.string(aisle) }
                }
            }
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
        guard let tree = JSONTree(text) else { throw DocumentError("it is not JSON, or was cut off") }
        if tree["format"]?.text == format {
            guard tree["version"]?.text == "1" else {
                throw DocumentError("it is of a later version than this program knows: update it")
            }
        }
        let documents = lists(in: tree)
        if documents.isEmpty { throw DocumentError("no list that this program knows is in it") }
        return documents
    }

    private static func lists(in tree: JSONTree) -> [ListDocument] {
        // Google Tasks: lists of lists.
        if let items = tree["items", "lists"]?.array, items.contains(where: { $0["items", "tasks"]?.array != nil }) {
            return items.flatMap { lists(in: $0) }
        }
        var document = ListDocument(name: tree["name", "title", "listName"]?.text)
        document.colour = tree["colour"]?.text
        document.aisles = tree["aisles"]?.array?.compactMap(\.text) ?? []
        if let bought = tree["purchase"]?.array ?? tree["items"]?["purchase"]?.array {
            // Bring!: items to buy, and recent purchases.
            let before = tree["recently"]?.array ?? tree["items"]?["recently"]?.array ?? []
            document.items = bought.compactMap { NewItem($0) }
            document.items += before.compactMap { element in
                var item = NewItem(element)
                item?.isMarkedOff = true
                return item
            }
        } else if let items = tree.array ?? tree["items", "listContent", "tasks", "list", "shoppingList"]?.array {
            document.items = items.compactMap { NewItem($0) }
        } else if let text = tree["textContent"]?.text {
            // A Google Keep note without a checklist.
            document.items = ItemLine.lines(of: text).map { NewItem($0) }
        } else {
            return []
        }
        return [document]
    }
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
        guard let text = tree["text", "name", "title", "content", "itemName", "item"]?.text else { return nil }
        var quantity = tree["quantity", "amount", "qty"]?.text
        if let unit = tree["unit"]?.text, let number = quantity { quantity = "\(number) \(unit)" }
        var note = tree["note", "notes", "details", "description"]?.text
        if let specification = tree["specification"]?.text {
            // Bring! has one field for the quantity and for other details.
            if quantity == nil, ItemLine("x × \(specification)")?.quantity != nil {
                quantity = specification
            } else {
                note = note ?? specification
            }
        }
        guard var line = ItemLine(text, quantities: quantity == nil) else { return nil }
        line.quantity = line.quantity ?? quantity
        self.init(line)
        fields[Fields.note] = note.map { .string($0) }
        fields[Fields.aisle] = tree["aisle", "category", "section"]?.text.map { .string($0) }
        let marks = tree["markedOff", "isChecked", "checked", "completed", "done", "purchased", "bought", "crossedOff"]
        if let mark = marks?.bool ?? (tree["status"] ?? marks)?.text.map(CSVColumns.isMark) { isMarkedOff = mark }
    }
}

extension FieldValue {
    fileprivate init?(_ tree: JSONTree, key: String) {
        switch tree {
        case .string(let text): self = .string(text)
        case .null: return nil
        default:
            // The known fields must be texts.
            guard ![Fields.text, Fields.quantity, Fields.note, Fields.aisle].contains(key) else { return nil }
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
