package import TrolleyJournal
package import TrolleyWire

/// The answer of `where`.
package struct WhereAnswer: Sendable {
    /// What became of an item of a list.
    package struct Row: Sendable {
        package let list: ListID
        package let listName: String?
        package let trace: ItemTrace
        /// How the change since which it is so is known: `list`, `activity`.
        package let source: String
        /// The name of the person who made that change; nil if it isn't known.
        package let sinceName: String?
        /// The name of the person who added the item; nil if it isn't known.
        package let addedName: String?

        package init(
            list: ListID, listName: String?, trace: ItemTrace, source: String, sinceName: String?, addedName: String?
        ) {
            self.list = list
            self.listName = listName
            self.trace = trace
            self.source = source
            self.sinceName = sinceName
            self.addedName = addedName
        }
    }

    private let name: String
    private let rows: [Row]
    private let isWhole: Bool
    private let unsearched: [NamedList]
    private let limit: Int

    /// - Parameters:
    ///   - rows: those that changed last first.
    ///   - isWhole: whether all lists were searched, and compressed items, too, if nothing else has exactly this name.
    ///   - limit: the largest number of items in the answer.
    package init(_ name: String, _ rows: [Row], isWhole: Bool, limit: Int = 20) {
        self.init(name, rows, isWhole: isWhole, unsearched: [], limit: limit)
    }

    /// - Parameters:
    ///   - rows: those that changed last first.
    ///   - unsearched: the lists of which not everything was searched.
    package init(_ name: String, _ rows: [Row], unsearched: [NamedList]) {
        self.init(name, rows, isWhole: unsearched.isEmpty, unsearched: unsearched, limit: 20)
    }

    private init(_ name: String, _ rows: [Row], isWhole: Bool, unsearched: [NamedList], limit: Int) {
        self.name = name
        self.rows = rows
        self.isWhole = isWhole
        self.unsearched = unsearched
        self.limit = limit
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", name)
        writer.member("isWhole", isWhole)
        if !unsearched.isEmpty {
            writer.member("unsearched", unsearched) { list, writer in
                writer.member("list", list.id)
                writer.member("listName", list.name)
            }
        }
        writer.member("total", rows.count)
        writer.member("items", Array(rows.prefix(limit))) { row, writer in
            writer.member("list", row.list)
            writer.member("listName", row.listName)
            writer.member("item", row.trace.id)
            writer.member("text", row.trace.text)
            writer.member("formerTexts", row.trace.formerTexts)
            writer.member("status", row.trace.status.rawValue)
            writer.member("since", row.trace.since.at)
            writer.member("by", row.trace.since.by)
            writer.member("byName", row.sinceName)
            writer.member("added", row.trace.added?.at)
            writer.member("addedBy", row.trace.added?.by)
            writer.member("addedByName", row.addedName)
            writer.member("source", row.source)
        }
    }
}
