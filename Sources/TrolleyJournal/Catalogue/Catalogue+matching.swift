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
        let read = CatalogueWords(text.unicodeScalars, joinsUmlauts: joinsUmlauts)
        var parts: [[[UInt8]]] = [[]]
        var afterNumber = false
        for (index, word) in read.words.enumerated() {
            if read.parts.contains(index) { parts.append([]) }
            let key = CatalogueKey(word)
            if breaks.contains(key) {
                parts.append([])
            } else if !word.isEmpty, !skipped.contains(key), !(afterNumber && units.contains(key) && read.words.count > 2) {
                parts[parts.count - 1].append(word)
            }
            afterNumber = word.isEmpty
        }
        if isFirstWordHead { parts = [parts.flatMap { $0 }] }
        var head: Head?
        for (part, words) in parts.enumerated() {
            head = self.head(of: words)
            head?.part = part
            if head != nil { break }
        }
        for (part, words) in parts.enumerated() {
            for (index, word) in words.enumerated() {
                let next = index + 1 < words.count ? words[index + 1] : nil
                guard let rule = rule(word, before: next, at: index, in: part, beside: head) else { continue }
                return match(rule.place, in: rule.to)
            }
        }
        return head.map { match($0.word.place, in: $0.word.aisle) }
    }

    /// What decides a part of a text.
    private struct Head {
        var word: Word
        /// The part's words that it stands for.
        var range: Range<Int>
        /// The number of letters before it in its word, where it is the end of a compound.
        var before = 0
        var part = 0
    }

    private func head(of words: [[UInt8]]) -> Head? {
        var best: Head?
        let count = words.count
        for step in 0..<count {
            for length in stride(from: Swift.min(Self.longestPhrase, count - step), to: 0, by: -1) {
                let range = isFirstWordHead ? step..<step + length : count - step - length..<count - step
                if let word = known(words[range]) { return Head(word: word, range: range) }
            }
            let index = isFirstWordHead ? step : count - step - 1
            if best == nil, let (word, before) = compound(words[index][...]) {
                best = Head(word: word, range: index..<index + 1, before: before)
                // A longer phrase that ends with the same word was looked for already.
                return best
            }
        }
        return best
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
                found.isEnding || ending.count >= shortestEnding && (start > 2 || isBeginning(beginning))
            else { continue }
            if isKnownBeginning(beginning) { return (found, start) }
            // A word that is not written so may only look like it: 'getroc|knet' and 'Knete'.
            if beginning.contains(where: \.isVowel), exact[CatalogueKey(ending)] != nil || ending.count > shortestEnding {
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
    private func rule(
        _ word: [UInt8], before next: [UInt8]?, at index: Int, in part: Int, beside head: Head?
    ) -> Rule? {
        let covered = head.map { $0.part == part ? $0.range : 0..<0 } ?? 0..<0
        // A word that the table has as a whole stands for itself; the beginning of a compound may still move it.
        if covered.contains(index), head?.before == 0 { return nil }
        if !covered.contains(index) {
            for words in [[word], next.map { [word, $0] } ?? []] where !covered.contains(index + words.count - 1) {
                if !words.isEmpty, let number = number(of: words, in: ruleWords, ruleStems), let rule = applicable(number, to: head) {
                    return rule
                }
            }
        }
        var key = CatalogueKey()
        for letter in word.prefix(covered.contains(index) ? head?.before ?? 0 : word.count) {
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
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"), UInt8(ascii: "y"): true
        default: false
        }
    }
}
