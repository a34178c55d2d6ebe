public import TrolleyJournal

/// A list as a document of this or another program.
public struct ListDocument: Hashable, Sendable {
    /// nil: the document has no name.
    public var name: String?
    public var colour: String?
    /// The order of the aisles.
    public var aisles: [String]
    /// In list order.
    public var items: [NewItem]
    /// Columns that a list can't represent.
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

    /// Maximum items per document.
    public static let mostItems = 10_000

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
    /// - Returns: the lists in the document; each has at least one item.
    /// - Throws: `DocumentError`, when any part can't be read; then import nothing.
    public static func read(
        _ bytes: [UInt8], as form: DocumentForm? = nil, file: String = ""
    ) throws(DocumentError) -> [ListDocument] {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DocumentError("it is not UTF-8 text: export it again as text, CSV or JSON")
        }
        if text.utf8.contains(0) { throw DocumentError("it is no text: there is a NUL character in it") }
        var documents: [ListDocument]
        switch form ?? DocumentForm(of: text, file: file) {
        case .markdown: documents = [ListDocument(markdown: text)]
        case .csv: documents = try ListDocument.lists(csv: text)
        case .json: documents = try ListDocument.lists(json: text)
        }
        for index in documents.indices {
            documents[index].items.removeAll { $0.text.allSatisfy(\.isWhitespace) }
            if documents[index].name?.allSatisfy(\.isWhitespace) == true { documents[index].name = nil }
        }
        documents.removeAll { $0.items.isEmpty }
        if documents.isEmpty { throw DocumentError("there is no item in it") }
        guard documents.allSatisfy({ $0.items.count <= mostItems }) else {
            throw DocumentError("it has more than \(mostItems) items")
        }
        return documents
    }
}

extension DocumentForm {
    /// The format of a file, by its extension or its first characters.
    init(of text: String, file: String) {
        let file = file.lowercased()
        if file.hasSuffix(".csv") || file.hasSuffix(".tsv") {
            self = .csv
        } else if file.hasSuffix(".json") {
            self = .json
        } else if file.hasSuffix(".md") || file.hasSuffix(".markdown") || file.hasSuffix(".txt") {
            self = .markdown
        } else if let first = text.first(where: { !$0.isWhitespace && $0 != "\u{FEFF}" }), "{[".contains(first),
            JSONTree(text) != nil
        {
            self = .json
        } else {
            self = CSVColumns.areNamed(inFirstLineOf: text) ? .csv : .markdown
        }
    }
}
