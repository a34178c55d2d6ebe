public import TrolleyJournal

/// A list as a document of this or another program.
public struct ListDocument: Hashable, Sendable {
    /// nil: the document has no name.
    public var name: String?
    public var colour: String?
    /// The order of the aisles.
    public var aisles: [String]
    /// Only the JSON form has them.
    public var shops: [Shop] = []
    /// In list order.
    public var items: [NewItem]
    /// Columns of a table, and parts of a file, that a list can't represent.
    public var leftOut: [String] = []

    public init(name: String? = nil, colour: String? = nil, aisles: [String] = [], items: [NewItem] = []) {
        self.name = name
        self.colour = colour
        self.aisles = aisles
        self.items = items
    }

    public init(_ state: ListState) {
        self.init(
            name: state.name, colour: state.colour, aisles: state.aisles,
            items: state.items.map { NewItem(fields: $0.fields, isMarkedOff: $0.markedOff) })
        shops = state.shops
    }

    /// The document as text.
    ///
    /// ```swift
    /// let document = ListDocument(name: "Party", items: [NewItem(ItemLine(text: "ice", quantity: "2 kg"))])
    /// print(document.text(as: .csv))
    /// ```
    public func text(as form: DocumentForm) -> String {
        switch form {
        case .markdown: markdown
        case .csv: csv
        case .json: json
        }
    }

    /// Maximum items per list.
    public static let mostItems = 10_000
    /// Maximum lists per file.
    public static let mostLists = 1_000
    /// The maximum size of a file in bytes.
    public static let maxBytes = 16 << 20

    /// Reads a document of this or another program. `docs/device.md` names the formats.
    ///
    /// ```swift
    /// let documents = try ListDocument.read(Array("- [ ] milk\n- [x] eggs".utf8), as: .markdown)
    /// print(documents[0].items.map(\.text))
    /// ```
    /// - Parameters:
    ///   - bytes: the file.
    ///   - form: the format; nil: detected from the content or the file extension.
    ///   - file: the file's name.
    ///   - columns: what the columns of a table mean; nil: by their names.
    /// - Returns: the lists in the document; each has at least one item.
    /// - Throws: `DocumentError`, when any part can't be read; then import nothing.
    public static func read(
        _ bytes: [UInt8], as form: DocumentForm? = nil, file: String = "", columns: CSVColumns.Choice? = nil
    ) throws(DocumentError) -> [ListDocument] {
        let text = try text(of: bytes)
        var documents: [ListDocument]
        switch columns == nil ? form ?? DocumentForm(of: text, file: file) : .csv {
        case .markdown: documents = [try ListDocument(markdown: text)]
        case .csv: documents = try lists(csv: text, columns)
        case .json: documents = try lists(json: text)
        }
        for index in documents.indices {
            documents[index].items.removeAll { $0.text.allSatisfy { $0.isWhitespace } }
            if documents[index].name?.allSatisfy({ $0.isWhitespace }) == true { documents[index].name = nil }
        }
        documents.removeAll { $0.items.isEmpty }
        if documents.isEmpty { throw .empty }
        if documents.count > mostLists { throw .tooManyLists }
        guard documents.allSatisfy({ $0.items.count <= mostItems }) else { throw .tooManyItems }
        return documents
    }

    /// The columns of a table, for a person to say what they mean.
    ///
    /// ```swift
    /// let columns = try ListDocument.columns(of: Array("Artikel;Menge\nMilch;2 l".utf8))
    /// print(columns?.names ?? [])
    /// ```
    /// - Returns: nil for a file that is no table, or one that needs nobody to say it: Trolley's own, or Todoist's.
    public static func columns(of bytes: [UInt8], file: String = "") throws(DocumentError) -> CSVColumns? {
        let text = try text(of: bytes)
        guard DocumentForm(of: text, file: file) == .csv else { return nil }
        let rows = try CSVTable(text).rows
        guard let header = rows.first, !isOwn(header.cells) else { return nil }
        let columns = CSVColumns(
            header.cells, samples: rows.dropFirst().prefix(CSVColumns.mostSamples).map { $0.cells })
        return columns.isTodoist ? nil : columns
    }

    /// The cells of a table's first row; empty: it has none.
    ///
    /// ```swift
    /// print(try ListDocument.cells(ofFirstRowOf: Array("Artikel;Menge\nMilch;2 l".utf8)))
    /// ```
    public static func cells(ofFirstRowOf bytes: [UInt8]) throws(DocumentError) -> [String] {
        try CSVTable(try text(of: bytes)).rows.first?.cells ?? []
    }

    static func text(of bytes: [UInt8]) throws(DocumentError) -> String {
        if bytes.count > maxBytes { throw .tooLarge }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        if text.utf8.contains(0) { throw .notText }
        return text
    }
}
