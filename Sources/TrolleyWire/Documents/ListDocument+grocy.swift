import TrolleyJournal

// Grocy's database as its interface gives it: the objects 'shopping_list' and 'products' in one file, and 'shopping_lists',
// 'product_groups' and 'quantity_units' where they are there (https://demo.grocy.info/api).

extension JSONTree {
    /// The rows of Grocy's lists; nil: it is of another program.
    var grocyRows: [JSONTree]? {
        guard let rows = self["shopping_list"]?.array ?? array, rows.contains(where: { $0["shopping_list_id"] != nil })
        else { return nil }
        return rows
    }
}

extension ListDocument {
    static func lists(ofGrocy rows: [JSONTree], in tree: JSONTree) throws(DocumentError) -> [ListDocument] {
        let products = tree["products"].byID, groups = tree["product_groups"].byID
        let units = tree["quantity_units"].byID, lists = tree["shopping_lists"].byID
        var documents: [ListDocument] = []
        var places: [String: Int] = [:]
        for row in rows {
            let product = row["product"] ?? row["product_id"]?.text.flatMap { products[$0] }
            let note = row["note"]?.text
            guard let text = product?["name"]?.text ?? note else {
                if row["product_id"]?.text == nil { continue }
                throw .namesMissing
            }
            var fields: Fields = [Fields.text: .string(text)]
            if product != nil, let note { fields[Fields.note] = .string(note) }
            if let group = product?["product_group_id"]?.text, let name = groups[group]?["name"]?.text {
                fields[Fields.aisle] = .string(name)
            }
            let unit = (row["qu_id"] ?? product?["qu_id_purchase"])?.text.flatMap { units[$0]?["name"]?.text }
            if let amount = row["amount"]?.amount, amount != "1" || unit != nil {
                fields[Fields.quantity] = .string(unit.map { String(joining: amount, " ", $0) } ?? amount)
            }
            let list = row["shopping_list_id"]?.text ?? ""
            if places[list] == nil {
                places[list] = documents.count
                documents.append(ListDocument(name: lists[list]?["name"]?.text))
            }
            let isDone = row["done"]?.bool ?? row["done"]?.text.map { CSVColumns.isMark($0) } ?? false
            documents[places[list] ?? 0].items.append(NewItem(fields: fields, isMarkedOff: isDone))
        }
        return documents
    }
}

extension JSONTree? {
    /// The objects of an array, by `id`.
    fileprivate var byID: [String: JSONTree] {
        var byID: [String: JSONTree] = [:]
        for object in self?.array ?? [] { if let id = object["id"]?.text { byID[id] = object } }
        return byID
    }
}
