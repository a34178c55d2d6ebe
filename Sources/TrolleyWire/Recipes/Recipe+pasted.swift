public import TrolleyJournal

// Recipes as people paste them: text, a page, or the JSON-LD of a page (https://schema.org/Recipe).

extension Recipe {
    /// Reads a pasted recipe. In a page, and in JSON, it is the first recipe of schema.org; otherwise each line is an ingredient
    /// (``init(text:)``).
    public init(pasted text: String) throws(RecipeError) {
        let bytes = Array(text.utf8)
        if bytes.count > Self.maxBytes { throw .tooLarge }
        switch bytes.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) {
        case UInt8(ascii: "<"):
            guard let recipe = try Self.inPage(bytes) else { throw .noRecipeInPage }
            self = recipe
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if let recipe = try Self.inJSON(bytes[...]) {
                self = recipe
            } else if Self.isJSON(bytes) {
                throw .noRecipeInPage
            } else {
                // '[ ] milk' is a line.
                try self.init(text: text)
            }
        default: try self.init(text: text)
        }
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        do {
            return try JSONReader.read(bytes) { reader throws(WireError) in
                _ = try reader.skip()
                return true
            }
        } catch {
            return false
        }
    }

    private static func inPage(_ page: [UInt8]) throws(RecipeError) -> Recipe? {
        var start = page.startIndex
        while let script = page.firstElement("script", from: start) {
            start = script.end
            guard page[script.tag].has("ld+json"), let recipe = try inJSON(page[script.content]) else { continue }
            return recipe
        }
        return try inMarkup(page)
    }

    /// The recipe in a page's microdata (https://html.spec.whatwg.org/multipage/microdata.html).
    private static func inMarkup(_ page: [UInt8]) throws(RecipeError) -> Recipe? {
        var lines: [String] = []
        for name in ["recipeIngredient", "ingredients"] where lines.isEmpty {
            var start = page.startIndex
            while let element = page.firstElement(withProperty: name, from: start) {
                start = element.end
                lines.append(String(decoding: page[element.content], as: UTF8.self))
                if lines.count > maxLines { throw .tooManyLines }
            }
        }
        return try Recipe(name: nil, yields: [], ingredients: lines)
    }

    /// The first recipe in a JSON-LD document; nil if there is none, or if it is no JSON.
    private static func inJSON(_ script: ArraySlice<UInt8>) throws(RecipeError) -> Recipe? {
        // Some pages put it into a section of XML.
        let section = script.end(ofFirst: "<![CDATA[")
        let bytes = section.map { script[$0...].dropLastSectionEnd } ?? script
        guard let first = bytes.firstIndex(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }),
            let last = bytes.lastIndex(where: { $0 == UInt8(ascii: "}") || $0 == UInt8(ascii: "]") }), first < last
        else { return nil }
        // Without what some pages put around it, and line breaks within strings, which JSON doesn't have.
        let json = bytes[first...last].map { $0 < 0x20 ? 0x20 : $0 }
        var search = SchemaSearch()
        do {
            try JSONReader.read(json) { reader throws(WireError) in try search.read(&reader, json) }
        } catch {
            // Some pages' JSON ends badly. A recipe that was found before that is whole.
        }
        if search.isTooLong { throw .tooManyLines }
        guard let found = search.found else { return nil }
        return try Recipe(name: found.name, yields: found.yields, ingredients: found.ingredients)
    }

    private init?(name: String?, yields: [String], ingredients: [String]) throws(RecipeError) {
        var lines: [RecipeLine] = []
        for text in ingredients {
            // Some pages have all ingredients in one text.
            for part in text.linesOfHTML {
                guard let ingredient = IngredientLine(part) else { continue }
                if lines.count == Self.maxLines { throw .tooManyLines }
                let isHeading = ingredient.quantity == nil && part.utf8.last == UInt8(ascii: ":")
                lines.append(
                    RecipeLine(ingredient: isHeading ? IngredientLine(text: part) : ingredient, isProposed: !isHeading))
            }
        }
        if lines.isEmpty { return nil }
        let title = name?.linesOfHTML.joined(separator: " ")
        self.init(
            name: title?.isEmpty == true ? nil : title,
            portions: yields.lazy.compactMap { Recipe.portions(in: $0) }.first, lines: lines)
        isEvident = true
    }
}

/// Finds the first recipe in a document of any structure.
private struct SchemaSearch {
    struct Found {
        var name: String?
        var yields: [String] = []
        var ingredients: [String] = []
    }

    private(set) var found: Found?
    private(set) var isTooLong = false

    /// Reads a value, and looks for a recipe in it.
    mutating func read(_ reader: inout JSONReader, _ json: [UInt8]) throws(WireError) {
        switch try reader.kind() {
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try read(&reader, json) }
        case .object: try readObject(&reader, json)
        default: _ = try reader.skip()
        }
    }

    private mutating func readObject(_ reader: inout JSONReader, _ json: [UInt8]) throws(WireError) {
        var object = Found()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "recipeIngredient" || key == "ingredients" {
                try readTexts(into: &object.ingredients, &reader, json)
            } else if key == "recipeYield" || key == "yield" {
                try readTexts(into: &object.yields, &reader, json)
            } else if key == "name", try reader.kind() == .string {
                object.name = try reader.string()
            } else {
                try read(&reader, json)
            }
        }
        if found == nil, !object.ingredients.isEmpty { found = object }
    }

    /// Reads the strings and numbers of a value: of a list, and of the items of a list.
    private mutating func readTexts(
        into texts: inout [String], _ reader: inout JSONReader, _ json: [UInt8]
    ) throws(WireError) {
        if texts.count > Recipe.maxLines {
            isTooLong = true
            throw .tooLarge("too many lines")
        }
        switch try reader.kind() {
        case .string: texts.append(try reader.string())
        case .number: texts.append(String(decoding: json[try reader.skip()], as: UTF8.self))
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try readTexts(into: &texts, &reader, json) }
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if key == "name" || key == "text" || key == "itemListElement" || key == "item" || key == "value" {
                    try readTexts(into: &texts, &reader, json)
                } else {
                    _ = try reader.skip()
                }
            }
        default: _ = try reader.skip()
        }
    }
}
