// Offers words while a person types.

extension Catalogue {
    /// The words that a person may be about to write: first those that begin with the text, then those in which a later word
    /// does, then those that contain it. Within each, in the order of the table.
    /// - Parameters:
    ///   - text: what was written so far, of any length; case, accents and white space don't matter.
    ///   - limit: the maximum number.
    /// - Returns: none for a text without letters.
    public func completions(of text: String, limit: Int) -> [Match] {
        let wanted = Array(CatalogueWords(text.unicodeScalars, joinsUmlauts: joinsUmlauts).words.joined())
        let typed = wanted.isEmpty ? Self.singleLetter(text) : wanted
        guard !typed.isEmpty, limit > 0 else { return [] }
        var found: [[Match]] = [[], [], []]
        for word in words where word.isOffered {
            guard let rank = rank(of: typed, in: word), found[rank].count < limit else { continue }
            found[rank].append(match(word.place, in: word.aisle))
        }
        return Array(found.joined().prefix(limit))
    }

    /// 0: the word begins with the letters; 1: a later part does; 2: it contains them, of which there are at least three.
    private func rank(of letters: [UInt8], in word: Word) -> Int? {
        let parts = CatalogueWords(text(at: word.place).unicodeScalars, joinsUmlauts: joinsUmlauts).words
        let whole = Array(parts.joined())
        if whole.starts(with: letters) { return 0 }
        var start = 0
        for part in parts.dropLast() {
            start += part.count
            if whole[start...].starts(with: letters) { return 1 }
        }
        guard letters.count > 2, whole.count > letters.count else { return nil }
        return whole.indices.contains { whole[$0...].starts(with: letters) } ? 2 : nil
    }

    private static func singleLetter(_ text: String) -> [UInt8] {
        let letters = text.inLowerCase.utf8.filter { $0 != UInt8(ascii: " ") }
        return letters.count == 1 && letters[0] >= UInt8(ascii: "a") && letters[0] <= UInt8(ascii: "z") ? letters : []
    }
}
