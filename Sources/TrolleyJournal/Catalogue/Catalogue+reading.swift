// Reads a table: `Catalogue/README.md` describes the lines.

extension Catalogue {
    private static let mostAisles = 32
    private static let mostBytes = 1 << 20

    /// - Returns: whether every line was understood.
    mutating func read() -> Bool {
        guard data.count <= Self.mostBytes else { return false }
        var rules: [Range<Int>] = []
        for line in data.lines {
            let line = line.trimmed
            switch line.first {
            case nil, UInt8(ascii: "#"): break
            case UInt8(ascii: "["): guard readAisle(line) else { return false }
            // They name aisles that may come later.
            case UInt8(ascii: ">"): rules.append(line.indices)
            default:
                if aisles.isEmpty {
                    guard readSetting(line) else { return false }
                } else {
                    for item in line.split(at: UInt8(ascii: ",")) { readWord(item) }
                }
            }
        }
        return !language.isEmpty && rules.allSatisfy { readRule(data[$0]) }
    }

    private mutating func readAisle(_ line: ArraySlice<UInt8>) -> Bool {
        guard let aisle = Self.aisle(in: line), aisles.count < Self.mostAisles else { return false }
        aisles.append(aisle)
        return true
    }

    /// `[dairy] Dairy`
    private static func aisle(in line: ArraySlice<UInt8>) -> Aisle? {
        guard line.first == UInt8(ascii: "["), let end = line.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let name = line[(end + 1)...].trimmed
        let id = line[(line.startIndex + 1)..<end]
        guard !id.isEmpty, !name.isEmpty else { return nil }
        return Aisle(id: String(decoding: id, as: UTF8.self), name: String(decoding: name, as: UTF8.self))
    }

    /// The names of the aisles in a table, of which nothing else is read.
    package static func aisleNames(in data: [UInt8]) -> [String] { data.lines.compactMap { aisle(in: $0)?.name } }

    /// `skip: of, the`
    private mutating func readSetting(_ line: ArraySlice<UInt8>) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = line[(colon + 1)...].trimmed
        let items = value.split(at: UInt8(ascii: ","))
        if name.hasSameBytes(as: "language") {
            language = String(decoding: value, as: UTF8.self)
        } else if name.hasSameBytes(as: "heads") {
            isFirstWordHead = value.elementsEqual("first".utf8)
            return isFirstWordHead || value.elementsEqual("last".utf8)
        } else if name.hasSameBytes(as: "compounds") {
            shortestEnding = value.reduce(0) { $0 * 10 + Int($1 & 0xF) }
        } else if name.hasSameBytes(as: "umlauts") {
            joinsUmlauts = true
        } else if name.hasSameBytes(as: "endings") {
            for item in items {
                guard let arrow = item.firstIndex(of: UInt8(ascii: ">")) else { return false }
                endings.append(Array(item[..<arrow]), instead: Array(item[(arrow + 1)...]))
            }
        } else if name.hasSameBytes(as: "skip") {
            for item in items { skipped.insert(key(of: item)) }
        } else if name.hasSameBytes(as: "breaks") {
            for item in items { breaks.insert(key(of: item)) }
        } else if name.hasSameBytes(as: "units") {
            for item in items { units.insert(key(of: item)) }
        } else if name.hasSameBytes(as: "neutral") {
            for item in items {
                neutral.insert(key(of: item))
                neutral.insert(stem(of: item))
            }
        } else {
            return false
        }
        return true
    }

    /// `yoghurt/yogurt`, `-tee`
    private mutating func readWord(_ item: ArraySlice<UInt8>) {
        for (index, variant) in item.split(at: UInt8(ascii: "/")).enumerated() {
            let isEnding = variant.first == UInt8(ascii: "-")
            let text = isEnding ? variant.dropFirst() : variant
            let (key, stem) = (key(of: text), stem(of: text))
            // The first one counts. `Tee, -tee`: it is also an ending.
            if let known = exact[key] {
                words[Int(known)].isEnding = words[Int(known)].isEnding || isEnding
                continue
            }
            let word = Word(
                place: Int32(text.startIndex)..<Int32(text.endIndex), aisle: UInt8(aisles.count - 1),
                isEnding: isEnding,
                isOffered: index == 0 && !isEnding)
            exact[key] = Int32(words.count)
            if stems[stem] == nil { stems[stem] = Int32(words.count) }
            words.append(word)
        }
    }

    /// `> tins: tinned, canned, dosen- | produce fish`, `> frozen: frozen | *`, `> baby: baby | * -produce`
    private mutating func readRule(_ line: ArraySlice<UInt8>) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let bar = line.firstIndex(of: UInt8(ascii: "|")),
            colon < bar, let to = aisle(line[(line.startIndex + 1)..<colon].trimmed)
        else { return false }
        var rule = Rule(place: 0..<0, from: 0, to: UInt8(to), decidesAlone: false)
        for name in line[(bar + 1)...].split(at: UInt8(ascii: " ")) where !name.isEmpty {
            if name.elementsEqual([UInt8(ascii: "*")]) {
                (rule.from, rule.decidesAlone) = (.max, true)
            } else if name.first == UInt8(ascii: "-") {
                guard let except = aisle(name.dropFirst()) else { return false }
                rule.from &= ~(1 << UInt32(except))
            } else {
                guard let from = aisle(name) else { return false }
                rule.from |= 1 << UInt32(from)
            }
        }
        for word in line[(colon + 1)..<bar].split(at: UInt8(ascii: ",")) {
            let isBeginning = word.last == UInt8(ascii: "-")
            let text = isBeginning ? word.dropLast() : word
            rule.place = Int32(text.startIndex)..<Int32(text.endIndex)
            let number = Int32(rules.count)
            rules.append(rule)
            // A word has one rule.
            guard ruleWords.updateValue(number, forKey: key(of: text)) == nil else { return false }
            if isBeginning { ruleBeginnings[key(of: text)] = number }
            if !isBeginning, ruleStems[stem(of: text)] == nil { ruleStems[stem(of: text)] = number }
        }
        return true
    }

    private func aisle(_ id: ArraySlice<UInt8>) -> Int? { aisles.firstIndex { $0.id.utf8.elementsEqual(id) } }

    private func key(of text: ArraySlice<UInt8>) -> CatalogueKey {
        var key = CatalogueKey()
        for word in readWords(of: text) { key.append(word) }
        return key
    }

    private func stem(of text: ArraySlice<UInt8>) -> CatalogueKey {
        var key = CatalogueKey()
        for word in readWords(of: text) { key.append(endings.stem(word)) }
        return key
    }

    private func readWords(of text: ArraySlice<UInt8>) -> [[UInt8]] {
        let words = CatalogueWords(
            String(decoding: text, as: UTF8.self).unicodeScalars, joinsUmlauts: joinsUmlauts
        ).words
        let kept = words.filter { word in
            let key = CatalogueKey(word)
            return !skipped.contains(key) && !breaks.contains(key)
        }
        return kept.isEmpty ? words : kept
    }
}

extension ArraySlice<UInt8> {
    /// The pieces between separators, without white space around them.
    fileprivate func split(at separator: UInt8) -> [ArraySlice<UInt8>] {
        split(separator: separator).map { $0.trimmed }.filter { !$0.isEmpty }
    }
}
