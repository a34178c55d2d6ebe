import TrolleyJournal

@testable import TrolleyWire

extension Reader {
    /// Files and pasted texts of other programs.
    static let files = [
        Reader(name: "document") { bytes in
            // The first byte says how to read it; otherwise most inputs would be checklists.
            let forms = DocumentForm.allCases
            let form = bytes.first.flatMap { Int($0) < forms.count ? forms[Int($0)] : nil }
            let file = form == nil ? bytes : Array(bytes.dropFirst())
            _ = try? ListDocument.columns(of: file)
            guard let documents = try? ListDocument.read(file, as: form) else { return }
            for document in documents {
                require(!document.items.isEmpty, "a document without items")
                for form in forms { check(document, form) }
            }
        },
        Reader(name: "recipe") { bytes in
            let text = bytes.text
            guard let recipe = try? Recipe(pasted: text) else { return }
            require(recipe.lines.count <= Recipe.maxLines, "a recipe with \(recipe.lines.count) lines")
            for portions in [1, 3, Recipe.maxPortions] {
                require(recipe.scaled(to: portions).lines.count == recipe.lines.count, "scaling loses a line")
            }
            _ = try? ImportedFile(reading: bytes)
        },
    ]

    /// A document is read as it was written, as far as the form carries it.
    private static func check(_ document: ListDocument, _ form: DocumentForm) {
        var expected = document
        expected.leftOut = []
        switch form {
        case .json: break
        case .csv: (expected.name, expected.colour, expected.aisles, expected.shops) = (nil, nil, [], [])
        case .markdown: (expected.colour, expected.shops) = (nil, [])
        }
        if form != .json {
            for index in expected.items.indices {
                for (key, value) in expected.items[index].fields where !carries(form, key, value) {
                    expected.items[index].fields[key] = nil
                }
            }
        }
        let text = document.text(as: form)
        let again = try? ListDocument.read(Array(text.utf8), as: form)
        requireEqual(again, [expected], "\(form): \(text)")
    }

    private static func carries(_ form: DocumentForm, _ key: String, _ value: FieldValue) -> Bool {
        let known = [Fields.text, Fields.quantity, Fields.note, Fields.aisle]
        return value.string?.isEmpty == false && key != "markedOff" && (form == .csv || known.contains(key))
    }
}
