import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension HostedChangeResult {
    /// How it is kept for a request that comes again.
    var column: PostgresJSON {
        PostgresJSON { writer in
            writer.object { writer in
                writer.key("list")
                writer.identifier(list)
                if let entry {
                    writer.key("entry")
                    writer.identifier(entry)
                }
                writer.key("item")
                writer.identifier(item.id)
                writer.key("markedOff")
                writer.bool(item.markedOff)
                writer.key("fields")
                item.fields.write(to: &writer)
            }
        }
    }

    init(column: String) throws {
        self = try JSONReader.read(column.utf8) { reader throws(WireError) in
            var list: ListID?
            var entry: EntryID?
            var item: ItemID?
            var markedOff = false
            var fields: Fields = [:]
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "list": list = try reader.identifier()
                case "entry": entry = try reader.identifier()
                case "item": item = try reader.identifier()
                case "markedOff": markedOff = try reader.bool()
                case "fields": fields = try Fields(from: &reader)
                default: try reader.skip()
                }
            }
            guard let list, let item else { throw .invalid("an id is missing") }
            return HostedChangeResult(
                list: list, entry: entry, item: Item(id: item, markedOff: markedOff, fields: fields),
                isDuplicate: true)
        }
    }
}
