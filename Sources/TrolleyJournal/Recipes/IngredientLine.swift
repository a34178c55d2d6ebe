/// One ingredient of a recipe as people write it: `400 g tinned tomatoes, chopped`, `½ Zwiebel, gewürfelt`,
/// `2-3 gousses d'ail (hachées)`, in English, German, French, Spanish, Italian or Dutch.
///
/// No word is lost: each letter and digit of the line is in the text, the quantity or the note. What is dropped is the white
/// space and punctuation between them, and after a quantity a times sign or a preposition (`of`, `de`, `d'`, `di`, `von`, `van` …).
/// `docs/journal.md` ('Recipes') gives the rule, `Tests/Vectors/ingredients` has cases for it.
public struct IngredientLine: Hashable, Sendable {
    /// The item's text; never empty.
    public var text: String
    /// The quantity as it was written; nil where the line has none.
    public var quantity: String?
    /// How to prepare it, a substitute, or the like.
    public var note: String?

    public init(text: String, quantity: String? = nil, note: String? = nil) {
        self.text = text
        self.quantity = quantity
        self.note = note
    }

    /// The longest line that is parsed, in bytes. A longer one is all text.
    static let longest = 1024

    /// Parses one line. A bullet, number or box before the ingredient is removed.
    /// - Returns: nil for a line with nothing but white space, a bullet or a box.
    public init?(_ line: String) {
        self.init(bytes: Array(line.utf8)[...])
    }

    init?(bytes: ArraySlice<UInt8>) {
        let line = LineMarkers(bytes).rest
        guard !line.isEmpty else { return nil }
        if line.count <= Self.longest, let parts = IngredientParts(line) {
            text = parts.text
            quantity = parts.quantity
            note = parts.note
        } else {
            text = String(decoding: line, as: UTF8.self)
        }
    }

    /// The fields of a new item.
    public var fields: Fields {
        var fields: Fields = [Fields.text: .string(text)]
        if let quantity { fields[Fields.quantity] = .string(quantity) }
        if let note { fields[Fields.note] = .string(note) }
        return fields
    }
}

/// The three parts of an ingredient's line.
private struct IngredientParts {
    var text: String
    var quantity: String?
    var note: String?

    /// After a quantity, before the name.
    private static let prepositions = [
        "of", "de la", "de l'", "de l’", "de", "d'", "d’", "du", "des", "della", "dello", "dell'", "dell’", "delle",
        "degli",
        "del", "dei", "di", "von", "van",
    ]
    /// After these, a number is a name: `flour type 405`.
    private static let kinds = [
        "type", "typ", "tipo", "nr", "nr.", "no", "no.", "n°", "size", "nummer", "número", "numero",
    ]

    /// - Parameter line: without white space around it.
    /// - Returns: nil when no text would be left.
    init?(_ line: ArraySlice<UInt8>) {
        guard let parts = Self.quantityFirst(line) ?? Self.quantityLast(line) else { return nil }
        self = parts
    }

    private static func quantityFirst(_ line: ArraySlice<UInt8>) -> IngredientParts? {
        guard let quantity = IngredientQuantity(line) else { return nil }
        if let parts = named(line, quantity.rest, end: quantity.end, hasUnit: quantity.hasUnit) { return parts }
        // `2 cloves`, `1 glass`: the unit is the thing.
        return quantity.bare.flatMap { named(line, $0.rest, end: $0.end, hasUnit: false) }
    }

    private static func quantityLast(_ line: ArraySlice<UInt8>) -> IngredientParts? {
        // 'Salt, pepper, lemon juice' are three things.
        if line.isEnumeration { return nil }
        if let (name, quantity) = quantityBehind(line), let noted = NotedText(name) {
            return IngredientParts(text: noted.text, quantity: quantity, note: noted.note)
        }
        guard let noted = NotedText(line) else { return nil }
        guard let (name, quantity) = quantityBehind(noted.main) else {
            return IngredientParts(text: noted.text, quantity: nil, note: noted.note)
        }
        return IngredientParts(text: String(decoding: name, as: UTF8.self), quantity: quantity, note: noted.note)
    }

    private init(text: String, quantity: String?, note: String?) {
        (self.text, self.quantity, self.note) = (text, quantity, note)
    }

    /// - Parameters:
    ///   - rest: what follows the quantity.
    ///   - end: where the quantity ends.
    private static func named(
        _ line: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>, end: Int, hasUnit: Bool
    ) -> IngredientParts? {
        // `7up` and `4you` are names.
        if !hasUnit, rest.first?.isLetter == true, rest.leadingSpace == 0, rest.startIndex == end { return nil }
        guard let noted = NotedText(withoutPreposition(rest.trimmed)), noted.text.utf8.contains(where: { $0.isLetter })
        else { return nil }
        var text = noted.text
        if noted.beginsWithNote { text = String(decoding: withoutPreposition(noted.main), as: UTF8.self) }
        let quantity = String(decoding: line[line.startIndex..<end].trimmed, as: UTF8.self)
        return IngredientParts(text: text, quantity: quantity, note: noted.note)
    }

    private static func withoutPreposition(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        for word in prepositions {
            let isElided = word.utf8.last == UInt8(ascii: "'") || word.utf8.suffix(3).elementsEqual("’".utf8)
            guard let after = isElided ? name.afterPrefix(word) : name.end(of: word) else { continue }
            guard isElided || after.leadingSpace > 0, after.contains(where: { $0.isLetter }) else { continue }
            return after.trimmed
        }
        return name
    }

    /// `Mehl: 120 g`, `zucchero 130 g`, `Tuorli 3`, `sale q.b.`: the quantity at the end.
    private static func quantityBehind(_ line: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, quantity: String)? {
        var index = line.startIndex
        while index < line.endIndex {
            let space = line[index...].leadingSpace
            index += max(space, 1)
            let isAfterSign = space == 0 && line[index - 1] == UInt8(ascii: ":")
            guard space > 0 || isAfterSign, index < line.endIndex else { continue }
            let end = line[index...]
            let isEnough = end.end(ofAny: ["q.b.", "q.b", "qb", "q.s.", "c.s."])?.isEmpty == true
            let quantity = IngredientQuantity(end)
            guard isEnough || quantity?.end == line.endIndex else { continue }
            var before = line[line.startIndex..<index].trimmed
            while let last = before.last, last == UInt8(ascii: ":") || last == UInt8(ascii: "-") {
                before = before.dropLast().trimmed
            }
            for dash in ["–", "—"] where before.suffix(3).elementsEqual(dash.utf8) {
                before = before.dropLast(3).trimmed
            }
            guard before.contains(where: { $0.isLetter }) else { return nil }
            if let quantity, !quantity.hasUnit, !isEnough {
                // A number in words is a name at the end.
                guard end.first?.isLetter == false || end.first ?? 0 >= 0x80,
                    let number = quantity.numbers.first, Amount.isCount(end.prefix(number.value.length)),
                    !kinds.contains(where: { before.hasLastWord($0) })
                else { return nil }
            }
            return (before, String(decoding: end, as: UTF8.self))
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    private static let peppers = ["pepper", "pfeffer", "poivre", "pimienta", "pepe", "peper"]

    /// Whether there are three or more parts between commas, of one or two words each.
    fileprivate var isEnumeration: Bool {
        let parts = split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].trimmed.end(ofAny: Self.peppers) != nil { return true }
        return parts.count > 2
            && parts.allSatisfy { part in
                let words = part.trimmed.split { $0 == UInt8(ascii: " ") }
                return (1...2).contains(words.count)
                    && !part.contains { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }
            }
    }

    /// The bytes after a prefix, in upper or lower case, whatever follows.
    fileprivate func afterPrefix(_ prefix: String) -> ArraySlice<UInt8>? {
        let start = self.prefix(prefix.utf8.count).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        return start.elementsEqual(prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
    }

    /// Whether the last word is this one, in upper or lower case.
    fileprivate func hasLastWord(_ word: String) -> Bool {
        guard count > word.utf8.count else { return false }
        let start = endIndex - word.utf8.count
        guard self[start...].afterPrefix(word) != nil else { return false }
        return self[startIndex..<start].trimmed.endIndex < start
    }
}
