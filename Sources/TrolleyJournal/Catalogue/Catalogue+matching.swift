// Finds the aisle of a text.

extension Catalogue {
    /// The words of a phrase that are looked for at most.
    private static let longestPhrase = 5
    /// A word of at most this many letters is compared with other words' stems by its own stem alone.
    private static let longestUnlike = 5

    /// The aisle of an item's text; nil if no word of it is known.
    ///
    /// The longest phrase that is known decides. Of several, the last one does ('milk chocolate' is chocolate), in the
    /// Romance languages the first ('lait de coco'); what follows a comma or a 'with' counts only if nothing before it is
    /// known. In German and Dutch an unknown word counts as what it ends with. Then a word beside it may move the item:
    /// 'frozen', 'tinned', 'for cats'. Quantities, case, accents and endings don't matter.
    /// - Parameter text: of any length and content. Only its first words are read.
    public func match(_ text: String) -> Match? {
        let (words, starts) = parts(of: text)
        let head =
            spanning(starts, of: words)
            ?? starts.indices.lazy.compactMap { part in
                let end = part + 1 < starts.count ? starts[part + 1] : words.count
                return self.head(of: words, in: starts[part]..<end)
            }.first
        for index in words.indices {
            if let rule = rule(at: index, of: words, beside: head) { return match(rule.place, in: rule.to) }
        }
        return head.map { match($0.word.place, in: $0.word.aisle) }
    }

    /// The words that count, and where each part of the text starts among them.
    private func parts(of text: String) -> (words: [[UInt8]], starts: [Int]) {
        let read = CatalogueWords(text.unicodeScalars, joinsUmlauts: joinsUmlauts)
        var words: [[UInt8]] = []
        var starts = [0]
        var isAfterNumber = false
        for (index, word) in read.words.enumerated() {
            let key = CatalogueKey(word)
            let isNumber = word.isEmpty
            let isBreak = !isNumber && breaks.contains(key)
            // Where the first word decides, the rest of the text is about it.
            if !isFirstWordHead, isBreak || read.parts.contains(index), starts.last != words.count {
                starts.append(words.count)
            }
            let isUnit = isAfterNumber && units.contains(key) && read.words.count > 2
            if !isNumber, !isBreak, !isUnit, !skipped.contains(key) { words.append(word) }
            isAfterNumber = isNumber
        }
        return (words, starts)
    }

    /// What decides a text.
    private struct Head {
        var word: Word
        /// The words that it stands for.
        var range: Range<Int>
        /// The number of letters before it in its word, where it is the end of a compound.
        var before = 0
    }

    /// A phrase with a break in it, such as 'pigs in blankets'.
    private func spanning(_ starts: [Int], of words: [[UInt8]]) -> Head? {
        for start in starts.dropFirst() where start < words.count {
            for first in Swift.max(0, start - Self.longestPhrase + 1)..<start {
                for end in stride(from: Swift.min(first + Self.longestPhrase, words.count), to: start, by: -1) {
                    if let word = known(words[first..<end]) { return Head(word: word, range: first..<end) }
                }
            }
        }
        return nil
    }

    private func head(of words: [[UInt8]], in part: Range<Int>) -> Head? {
        for step in 0..<part.count {
            for length in stride(from: Swift.min(Self.longestPhrase, part.count - step), to: 0, by: -1) {
                let first = isFirstWordHead ? part.lowerBound + step : part.upperBound - step - length
                let range = first..<first + length
                if let word = known(words[range]) { return Head(word: word, range: range) }
            }
            let index = isFirstWordHead ? part.lowerBound + step : part.upperBound - step - 1
            if let (word, before) = compound(words[index][...]) {
                return Head(word: word, range: index..<index + 1, before: before)
            }
        }
        return nil
    }

    /// The table's word for these words.
    private func known(_ words: some Collection<[UInt8]>) -> Word? {
        number(of: words, in: exact, stems).map { self.words[Int($0)] }
    }

    /// What a table has for these words, or otherwise a table for their stems.
    private func number(
        of words: some Collection<[UInt8]>, in table: [CatalogueKey: Int32], _ stems: [CatalogueKey: Int32]
    ) -> Int32? {
        var key = CatalogueKey()
        var stem = CatalogueKey()
        var single = CatalogueKey()
        for word in words {
            key.append(word)
            stem.append(endings.stem(word))
            single.append(endings.single(word))
        }
        if let number = table[key] ?? stems[stem] { return number }
        // An ending may follow another one ('gefroren|e'), or only look like one ('citroen', where the table has 'citroenen').
        // Among shorter words, too many would be alike: 'paño' and 'pan'.
        guard words.reduce(0, { $0 + $1.count }) > Self.longestUnlike else { return nil }
        return table[stem] ?? stems[single]
    }

    private func known(_ word: ArraySlice<UInt8>) -> Word? { known(CollectionOfOne(Array(word))) }

    /// The table's word at the end of a compound, and the number of letters before it. An ending counts first if what is before
    /// it is known, too ('Erdbeer|eis', not 'Erdbee|reis'), then if it is longer.
    private func compound(_ word: ArraySlice<UInt8>) -> (Word, before: Int)? {
        guard shortestEnding > 0 else { return nil }
        var longest: (Word, before: Int)?
        for start in word.indices.dropFirst(2) where word.endIndex - start > 1 {
            let (beginning, ending) = (word[..<start], word[start...])
            if isNeutral(ending), let inside = known(beginning).map({ ($0, before: 0) }) ?? compound(beginning) {
                return inside
            }
            guard let found = known(ending),
                found.isEnding || ending.count >= shortestEnding, start > 2 || isBeginning(beginning)
            else { continue }
            if isKnownBeginning(beginning) { return (found, start) }
            // A word that is not written so may only look like it: 'getroc|knet' and 'Knete'.
            if beginning.contains(where: { $0.isVowel }),
                exact[CatalogueKey(ending)] != nil || ending.count > shortestEnding
            {
                longest = longest ?? (found, start)
            }
        }
        return longest
    }

    /// Whether the table has a compound's beginning, with or without the letters that join it to the next part.
    private func isKnownBeginning(_ word: ArraySlice<UInt8>) -> Bool {
        if isBeginning(word) || exact[CatalogueKey(word)] != nil { return true }
        return Self.joints.contains { joint in
            let joint = Array(joint.utf8)
            if word.suffix(joint.count).elementsEqual(joint), exact[CatalogueKey(word.dropLast(joint.count))] != nil {
                return true
            }
            return exact[CatalogueKey(Array(word) + joint)] != nil
        }
    }

    /// In German and Dutch: 'Erdbeer|eis' for 'Erdbeeren', 'Schokolade|n|eis'.
    private static let joints: [String] = ["n", "en", "s", "es", "e", "er"]

    private func isBeginning(_ word: ArraySlice<UInt8>) -> Bool { ruleBeginnings[CatalogueKey(word)] != nil }

    private func isNeutral(_ word: ArraySlice<UInt8>) -> Bool {
        neutral.contains(CatalogueKey(word)) || neutral.contains(CatalogueKey(endings.stem(word)))
    }

    /// The rule of a word, or of it with the next one, that applies.
    private func rule(at index: Int, of words: [[UInt8]], beside head: Head?) -> Rule? {
        let isCovered = head?.range.contains(index) == true
        // A word that the table has as a whole stands for itself; the beginning of a compound may still move it.
        if isCovered, head?.before == 0 { return nil }
        if !isCovered {
            for count in [1, 2] where index + count <= words.count {
                if head?.range.contains(index + count - 1) == true { continue }
                let phrase = words[index..<index + count]
                if let number = number(of: phrase, in: ruleWords, ruleStems), let rule = applicable(number, to: head) {
                    return rule
                }
            }
        }
        guard !ruleBeginnings.isEmpty else { return nil }
        var key = CatalogueKey()
        for letter in words[index].prefix(isCovered ? head?.before ?? 0 : words[index].count) {
            key.append(CollectionOfOne(letter))
            if let number = ruleBeginnings[key], let rule = applicable(number, to: head) { return rule }
        }
        return nil
    }

    private func applicable(_ number: Int32, to head: Head?) -> Rule? {
        let rule = rules[Int(number)]
        guard let head else { return rule.decidesAlone ? rule : nil }
        return rule.from & 1 << UInt32(head.word.aisle) != 0 ? rule : nil
    }
}

extension UInt8 {
    /// Whether it is one of the letters without which there is no word.
    fileprivate var isVowel: Bool {
        switch self {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"),
            UInt8(ascii: "y"):
            true
        default: false
        }
    }
}
