// Recipes as plain text: a title, 'Serves 4', headings, ingredients, steps.

extension Recipe {
    /// The maximum size of a pasted recipe in bytes. Pages have a few hundred kilobytes.
    public static let maxBytes = 16 << 20

    /// Reads a text with one ingredient per line. A heading such as 'Ingredients' begins the ingredients, one such as 'Method'
    /// ends them; without such headings, all lines that look like ingredients are.
    public init(text: String) throws(RecipeError) {
        let bytes = Array(text.utf8)
        if bytes.count > Self.maxBytes { throw .tooLarge }
        // Counts before it makes anything of a million lines.
        var ends = 0
        for byte in bytes where byte == 0x0A || byte == 0x0D { ends += 1 }
        // Every second line may be blank, and a line may end with two characters.
        if ends > 8 * Self.maxLines { throw .tooManyLines }
        let written = bytes.lines.map { RecipeText(line: $0) }.filter { !$0.bytes.isEmpty }
        if written.isEmpty { throw .noLines }
        if written.count > Self.maxLines { throw .tooManyLines }
        let start = written.firstIndex { $0.isHeading(of: RecipeText.ingredientHeadings) }
        let end = written[(start ?? 0)...].firstIndex { $0.isHeading(of: RecipeText.methodHeadings) }
        var lines: [RecipeLine] = []
        var (portions, name): (Int?, String?) = (nil, nil)
        for (index, line) in written.enumerated() {
            guard let ingredient = IngredientLine(bytes: line.bytes) else { continue }
            let isInside = index > start ?? -1 && index < end ?? written.count
            let isProposed = isInside && line.isIngredient && line.portions == nil
            if portions == nil, !isProposed { portions = line.portions }
            let whole = String(decoding: line.bytes, as: UTF8.self)
            if index == 0, start != nil, start != 0 { name = whole }
            // 'Serves 4' is no ingredient called 'Serves'.
            lines.append(
                RecipeLine(
                    ingredient: isProposed ? ingredient : IngredientLine(text: whole), isProposed: isProposed))
        }
        if lines.isEmpty { throw .noLines }
        self.init(name: name, portions: portions, lines: lines)
        isEvident = start != nil || portions != nil
    }

    /// The number of portions in a text about them: `4`, `4 servings`, `für 4 Personen`.
    public static func portions(in text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard let start = bytes.firstIndex(where: { $0.isDigit }) else { return nil }
        let digits = bytes[start...].prefix { $0.isDigit }
        guard digits.count <= 4 else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        return (1...maxPortions).contains(number) ? number : nil
    }
}

/// A line of a recipe as text.
private struct RecipeText {
    /// Without white space around it.
    let bytes: ArraySlice<UInt8>
    private let words: [ArraySlice<UInt8>]

    static let ingredientHeadings = [
        "ingredients", "zutaten", "ingrédients", "ingredientes", "ingredienti", "ingrediënten", "ingredienten",
    ]
    static let methodHeadings = [
        "method", "instructions", "directions", "preparation", "steps", "zubereitung", "anleitung", "zubereiten",
        "préparation", "étapes", "instrucciones", "preparación", "elaboración", "preparazione", "procedimento",
        "bereiding", "bereidingswijze", "werkwijze", "notes", "nutrition", "nährwerte", "tips",
    ]
    /// Before the number of portions.
    private static let portionVerbs = [
        "serves", "servings", "makes", "yield", "yields", "portions", "portionen", "personen", "portioni", "porzioni",
        "raciones", "porciones", "porties",
    ]
    /// After it.
    private static let portionNouns = [
        "servings", "serving", "portions", "portion", "portionen", "personen", "person", "people", "persons",
        "personnes",
        "personne", "personas", "raciones", "porciones", "persone", "porzioni", "porties",
    ]
    private static let portionPrepositions = ["for", "für", "pour", "para", "per", "voor"]
    private static let mostWordsOfHeading = 8
    private static let mostWordsOfIngredient = 25

    init(line: ArraySlice<UInt8>) {
        var text = line.trimmed
        // A heading of Markdown.
        while let first = text.first, first == UInt8(ascii: "#") { text = text.dropFirst() }
        bytes = text.trimmed
        words = bytes.split { !$0.isLetter && !$0.isDigit }
    }

    func isHeading(of names: [String]) -> Bool {
        guard let first = words.first, words.count <= Self.mostWordsOfHeading else { return false }
        guard names.contains(where: { first.end(of: $0)?.isEmpty == true }) else { return false }
        // 'Preparation: 20 minutes' is one, 'Preparation of the dough takes …' isn't.
        return words.count == 1 || bytes.last == UInt8(ascii: ":") || portions != nil
            || names.contains { bytes.end(of: $0)?.first == UInt8(ascii: ":") }
    }

    /// The number of portions, of a line that says nothing else.
    var portions: Int? {
        guard words.count <= Self.mostWordsOfHeading,
            let place = words.firstIndex(where: { $0.allSatisfy { $0.isDigit } })
        else { return nil }
        let before = place > 0 ? words[place - 1] : []
        // 'Serves 2 to 4' is for 2.
        let after =
            words[(place + 1)...].filter { !$0.allSatisfy { $0.isDigit } && $0.end(of: "to") == nil }.first ?? []
        let isAfterVerb = Self.has(before, Self.portionVerbs) && place == 1
        let isBeforeNoun = Self.has(after, Self.portionNouns)
        let isNamed = place == 0 || Self.has(before, Self.portionPrepositions) || Self.has(before, Self.portionVerbs)
        guard isAfterVerb || isBeforeNoun && isNamed && words.last == after else { return nil }
        return Recipe.portions(in: String(decoding: words[place], as: UTF8.self))
    }

    private static func has(_ word: ArraySlice<UInt8>, _ list: [String]) -> Bool {
        list.contains { word.end(of: $0)?.isEmpty == true }
    }

    /// Whether it is no heading and no sentence.
    var isIngredient: Bool {
        if bytes.last == UInt8(ascii: ":") || words.count > Self.mostWordsOfIngredient { return false }
        if IngredientQuantity(LineMarkers(bytes).rest) != nil { return true }
        let isSentence = bytes.last == UInt8(ascii: ".") && words.count > 6
        return !isSentence && !isHeading(of: Self.ingredientHeadings)
    }
}
