/// A name and the note about it: `tinned tomatoes, chopped`, `agua (fría)`, `salt to taste`.
struct NotedText {
    private(set) var text: String
    private(set) var note: String?
    /// The bytes of the name; the whole name if it is one piece.
    private(set) var main: ArraySlice<UInt8>
    /// Whether a note in brackets stands before the name.
    private(set) var beginsWithNote: Bool

    /// What precedes a comma within a name: `large, ripe avocado`.
    private static let adjectives = [
        "large", "small", "medium", "medium-sized", "big", "boneless", "skinless", "bone-in", "skin-on", "fresh",
        "frozen",
        "ripe", "thick", "thin", "firm", "hot", "cold", "warm", "dry", "dried", "good-quality", "good quality", "raw",
        "whole", "cooked", "uncooked", "unsalted", "salted", "sweet", "plain", "low-sodium", "reduced-sodium",
        "low-fat",
        "full-fat", "fat-free", "unsweetened", "smoked", "lean", "soft", "light", "dark", "white", "red", "green",
        "yellow",
        "fine", "coarse", "bubbly", "active", "free-range", "organic", "extra-virgin", "crisp", "tart", "cold-pressed",
        "peeled", "chopped",
        "diced", "minced", "toasted", "roasted", "grated", "shredded", "crushed", "ground", "young", "mature", "old",
        "hard",
        "große", "großer", "großes", "kleine", "kleiner", "kleines", "reife", "reifer", "frische", "frischer",
        "frisches",
        "rote", "roter", "grüne", "grüner", "weiße", "gelbe", "mittelgroße", "mittelgroßer", "getrocknete", "bio",
        "zarte",
        "gros", "grosse", "grand", "grande", "petit", "petite", "beau", "belle", "grandes", "pequeño", "pequeña",
        "fresco",
        "fresca", "maduro", "madura", "piccolo", "piccola", "maturo", "matura", "grote", "kleine", "verse", "rijpe",
        "rode",
        "groene", "witte", "gele",
    ]
    /// Notes without a comma, at the end.
    private static let endings = [
        "to taste", "or to taste", "or more to taste", "as needed", "as required", "for serving", "to serve",
        "for garnish",
        "to garnish", "for garnishing", "for dusting", "for sprinkling", "for frying", "optional", "nach geschmack",
        "nach belieben", "nach bedarf", "zum garnieren", "zum servieren", "zum bestreuen", "zum anbraten", "zum braten",
        "zum bestäuben", "au goût", "selon votre goût", "pour servir", "pour décorer", "o al gusto", "al gusto",
        "a gusto",
        "para servir", "para decorar", "para espolvorear", "a piacere", "per decorare", "per servire", "naar smaak",
        "naar wens", "naar behoefte", "om te serveren", "om te garneren", "ter garnering",
    ]

    /// - Parameter line: without white space around it.
    /// - Returns: nil when no name would be left.
    init?(_ line: ArraySlice<UInt8>) {
        var pieces: [ArraySlice<UInt8>] = []
        var notes: [ArraySlice<UInt8>] = []
        var start = line.startIndex
        var index = line.startIndex
        let alternatives = Self.endOfAlternatives(line)
        while index < line.endIndex {
            if line[index] == UInt8(ascii: "("), let close = Self.bracket(at: index, in: line) {
                pieces.append(line[start..<index])
                notes.append(line[(index + 1)..<close])
                index = close + 1
                start = index
            } else if index >= alternatives, let sign = Self.separator(at: index, in: line),
                !Self.isAdjective(line[start..<index]) || pieces.contains(where: { !$0.trimmed.isEmpty })
            {
                pieces.append(line[start..<index])
                notes.append(line[(index + sign)...])
                index = line.endIndex
                start = index
            } else {
                index += 1
            }
        }
        pieces.append(line[start...])
        beginsWithNote = pieces.count > 1 && pieces[0].trimmed.isEmpty
        pieces = pieces.map { $0.withoutPunctuation }.filter { !$0.isEmpty }
        notes = notes.map { $0.withoutPunctuation.withoutBrackets }.filter { !$0.isEmpty }
        if pieces.count == 1, let name = Self.nameBeforeEnding(pieces[0]) {
            notes.insert(pieces[0][name.endIndex...].trimmed, at: 0)
            pieces[0] = name
        }
        guard let first = pieces.first, pieces.contains(where: { $0.contains { $0.isLetter } }) else { return nil }
        main = first
        text = Self.joined(pieces, by: " ")
        note = notes.isEmpty ? nil : Self.joined(notes, by: ", ")
        if pieces.count > 1 { main = Array(text.utf8)[...] }
    }

    private static func joined(_ pieces: [ArraySlice<UInt8>], by separator: String) -> String {
        var bytes: [UInt8] = []
        for piece in pieces {
            if !bytes.isEmpty { bytes += Array(separator.utf8) }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The place of the bracket that closes the one at `open`; nil if it stays in the name: the plural of `navet(s)`, or none.
    private static func bracket(at open: Int, in line: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        var index = open
        while index < line.endIndex {
            if line[index] == UInt8(ascii: "(") { depth += 1 }
            if line[index] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { break }
            index += 1
        }
        guard depth == 0 else { return nil }
        let isAttached = open > line.startIndex && line[open - 1].isLetter && line[..<open].trimmed.endIndex == open
        if isAttached, index - open <= 4 { return nil }
        // `(kook)room` is one word.
        let after = line[(index + 1)...]
        return after.first?.isLetter == true && after.leadingSpace == 0 ? nil : index
    }

    /// The length of a sign that begins a note: a comma or semicolon, or a dash between white space.
    private static func separator(at index: Int, in line: ArraySlice<UInt8>) -> Int? {
        let after = line[(index + 1)...]
        switch line[index] {
        case UInt8(ascii: ","), UInt8(ascii: ";"):
            // `1,5` is a number; in `a,b` the comma is part of a word.
            return after.isEmpty || after.leadingSpace > 0 ? 1 : nil
        case UInt8(ascii: "-"), 0xE2:
            let length = line[index] == 0xE2 ? 3 : 1
            if length == 3, !line[index...].starts(with: "–"), !line[index...].starts(with: "—") { return nil }
            let isBetweenSpace =
                line[..<index].trimmed.endIndex < index && line[index...].dropFirst(length).leadingSpace > 0
            let isPair = length == 1 && line[..<index].trimmed.endIndex < index && line.isPair(at: index)
            return isBetweenSpace || isPair && !line[line.startIndex..<index].trimmed.isEmpty ? length : nil
        default: return nil
        }
    }

    /// The place behind the last comma of `red, yellow, or orange pepper`, whose commas begin no note.
    private static func endOfAlternatives(_ line: ArraySlice<UInt8>) -> Int {
        var end = line.startIndex
        var depth = 0
        for index in line.indices {
            if line[index] == UInt8(ascii: "(") { depth += 1 }
            if line[index] == UInt8(ascii: ")") { depth -= 1 }
            guard line[index] == UInt8(ascii: ","), depth == 0 else { continue }
            let next = line[(index + 1)...].droppingSpace
            if let after = next.end(ofAny: ["or", "and", "oder", "und", "ou", "o", "of"]), after.leadingSpace > 0,
                // `garlic, or to taste` is a note.
                line[line.startIndex..<index].contains(UInt8(ascii: ","))
            {
                end = index + 1
            }
        }
        return end
    }

    private static func isAdjective(_ bytes: ArraySlice<UInt8>) -> Bool {
        adjectives.contains { bytes.trimmed.end(of: $0)?.isEmpty == true }
    }

    /// The name before a note without a comma.
    private static func nameBeforeEnding(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for ending in endings where line.count > ending.utf8.count + 1 {
            let start = line.endIndex - ending.utf8.count
            guard line[start...].end(of: ending) != nil else { continue }
            let name = line[line.startIndex..<start].trimmed
            // `salt, or to taste` was split before.
            if name.endIndex < start, name.contains(where: { $0.isLetter }) { return name }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Whether a hyphen begins a word and another one ends a later word: `carne -mitad ternera-`.
    fileprivate func isPair(at hyphen: Int) -> Bool {
        guard self[(hyphen + 1)...].first?.isLetter == true else { return false }
        return self[(hyphen + 1)...].indices.contains { index in
            self[index] == UInt8(ascii: "-") && self[index - 1].isLetter
                && (index + 1 == endIndex || !self[index + 1].isLetter && !self[index + 1].isDigit)
        }
    }

    /// The text without its outer brackets, if one pair encloses all of it.
    fileprivate var withoutBrackets: ArraySlice<UInt8> {
        guard first == UInt8(ascii: "("), last == UInt8(ascii: ")") else { return self }
        var depth = 0
        for index in indices {
            if self[index] == UInt8(ascii: "(") { depth += 1 }
            if self[index] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0, index < endIndex - 1 { return self }
        }
        return dropFirst().dropLast().withoutPunctuation.withoutBrackets
    }

    /// Without white space and punctuation around it that means nothing by itself.
    fileprivate var withoutPunctuation: ArraySlice<UInt8> {
        var slice = trimmed
        let signs = Array(",;:*-".utf8)
        while let first = slice.first, signs.contains(first) { slice = slice.dropFirst().trimmed }
        if slice.suffix(2).elementsEqual("-.".utf8) { slice = slice.dropLast(2) }
        while let last = slice.last, signs.contains(last) { slice = slice.dropLast().trimmed }
        return slice
    }
}
