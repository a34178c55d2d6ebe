import TrolleyJournal

// As much of HTML as is needed to find a recipe in a page.

extension [UInt8] {
    /// The longest tag, and the longest ingredient, that are looked for, in bytes.
    private static let longest = 8192

    /// The next element of this name.
    /// - Returns: the bytes of its start tag, of what is in it, and where the next one can begin.
    func firstElement(_ name: String, from start: Int) -> (tag: Range<Int>, content: Range<Int>, end: Int)? {
        guard let open = firstIndex(of: Array("<".utf8) + Array(name.utf8), in: start..<count),
            let close = self[open...].firstIndex(of: UInt8(ascii: ">")),
            let end = firstIndex(of: Array("</".utf8) + Array(name.utf8), in: close..<count)
        else { return nil }
        return (open..<close, (close + 1)..<end, end)
    }

    /// The next element with this `itemprop`.
    func firstElement(withProperty property: String, from start: Int) -> (content: Range<Int>, end: Int)? {
        var next = start
        while let found = firstIndex(of: Array("itemprop".utf8), in: next..<count) {
            next = found + 8
            // Each search is bounded, so that a page of nothing but beginnings takes no longer than another one.
            let near = Swift.max(0, found - Self.longest)..<Swift.min(count, found + Self.longest)
            guard let open = self[near.lowerBound..<found].lastIndex(of: UInt8(ascii: "<")),
                let close = self[found..<near.upperBound].firstIndex(of: UInt8(ascii: ">"))
            else { continue }
            let value = self[next..<close].drop { $0 <= 0x20 || Array("='\"".utf8).contains($0) }
            let word = value.prefix { $0 > 0x20 && !Array("'\"/>".utf8).contains($0) }
            guard word.elementsEqual(property.utf8) else { continue }
            let name = self[(open + 1)..<found].prefix { $0.isLetterOrDigit }
            guard let end = firstIndex(of: Array("</".utf8) + name, in: close..<near.upperBound) else { continue }
            return ((close + 1)..<end, end)
        }
        return nil
    }

    /// Where these bytes begin, in upper or lower case.
    private func firstIndex(of wanted: [UInt8], in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index + wanted.count <= range.upperBound {
            var length = 0
            while length < wanted.count, self[index + length].inLowerCase == wanted[length].inLowerCase { length += 1 }
            if length == wanted.count { return index }
            index += 1
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    func has(_ text: String) -> Bool { end(ofFirst: text) != nil }

    /// Where the bytes after the first place of a text begin.
    func end(ofFirst text: String) -> Int? {
        indices.first { self[$0...].starts(with: text.utf8) }.map { $0 + text.utf8.count }
    }

    /// The bytes before the last `]]>`.
    var dropLastSectionEnd: ArraySlice<UInt8> {
        guard let end = indices.last(where: { self[$0...].starts(with: "]]>".utf8) }) else { return self }
        return self[..<end]
    }
}

extension UInt8 {
    fileprivate var inLowerCase: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
    fileprivate var isLetterOrDigit: Bool { inLowerCase &- 0x61 < 26 || self &- 0x30 < 10 }
}

extension String {
    /// The lines of a piece of HTML: without tags, with its characters instead of references, and with single spaces. Blocks and
    /// line breaks end a line; there are no blank lines.
    var linesOfHTML: [String] {
        // Some pages escape twice.
        let bytes = Array(utf8).withoutReferences.withoutReferences.withoutTags
        return bytes.split(separator: 0x0A).compactMap { line in
            var text: [UInt8] = []
            for word in line.withSpaces.split(separator: 0x20) {
                if !text.isEmpty { text.append(0x20) }
                text += word
            }
            return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
    }
}

extension ArraySlice<UInt8> {
    /// With a space for each control character and U+00A0.
    fileprivate var withSpaces: [UInt8] {
        var bytes: [UInt8] = []
        for byte in self {
            if bytes.last == 0xC2, byte == 0xA0 {
                bytes[bytes.count - 1] = 0x20
            } else {
                bytes.append(byte < 0x20 ? 0x20 : byte)
            }
        }
        return bytes
    }
}

extension [UInt8] {
    private static let lineBreaks = ["br", "p", "li", "ul", "ol", "div", "tr", "h1", "h2", "h3", "h4"]

    /// Without tags. A `<` that begins none stays.
    fileprivate var withoutTags: [UInt8] {
        guard contains(UInt8(ascii: "<")) else { return self }
        var text: [UInt8] = []
        var index = 0
        while index < count {
            guard self[index] == UInt8(ascii: "<"), index + 1 < count,
                self[index + 1].inLowerCase &- 0x61 < 26 || self[index + 1] == UInt8(ascii: "/"),
                let close = self[index...].prefix(Self.longest).firstIndex(of: UInt8(ascii: ">"))
            else {
                text.append(self[index])
                index += 1
                continue
            }
            let isEnd = self[index + 1] == UInt8(ascii: "/")
            let name = self[(index + (isEnd ? 2 : 1))..<close].prefix { $0.isLetterOrDigit }.map { $0.inLowerCase }
            if Self.lineBreaks.contains(where: { name.elementsEqual($0.utf8) }) {
                text.append(0x0A)
            } else if !isEnd, name.elementsEqual("sup".utf8) {
                // `1<sup>1</sup>/<sub>2</sub>`
                text.append(0x20)
            }
            index = close + 1
        }
        return text
    }

    /// With the characters that `&frac12;`, `&#189;` and `&#xBD;` stand for. Unknown references stay.
    fileprivate var withoutReferences: [UInt8] {
        guard contains(UInt8(ascii: "&")) else { return self }
        var text: [UInt8] = []
        var index = 0
        while index < count {
            guard self[index] == UInt8(ascii: "&"),
                let end = self[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = Self.character(self[(index + 1)..<end])
            else {
                text.append(self[index])
                index += 1
                continue
            }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            index = end + 1
        }
        return text
    }

    private static func character(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard name.first == UInt8(ascii: "#") else {
            return references.first { name.elementsEqual($0.name.utf8) }?.scalar
        }
        let isHexadecimal = name.dropFirst().first?.inLowerCase == UInt8(ascii: "x")
        var value: UInt32 = 0
        for digit in name.dropFirst(isHexadecimal ? 2 : 1) {
            let lower = digit.inLowerCase
            guard digit &- 0x30 < 10 || isHexadecimal && lower &- 0x61 < 6 else { return nil }
            // Eight digits at most fit into the bytes that are looked at.
            value = value &* (isHexadecimal ? 16 : 10) &+ UInt32(digit &- 0x30 < 10 ? digit - 0x30 : lower - 0x57)
        }
        return value < 0x20 ? nil : Unicode.Scalar(value)
    }

    /// The references that recipes have, of https://html.spec.whatwg.org/multipage/named-characters.html.
    private static let references: [(name: String, scalar: Unicode.Scalar)] = [
        ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("nbsp", "\u{A0}"),
        ("thinsp", "\u{2009}"),
        ("frac12", "½"), ("half", "½"), ("frac13", "⅓"), ("frac23", "⅔"), ("frac14", "¼"), ("frac34", "¾"),
        ("frac18", "⅛"),
        ("frac38", "⅜"), ("frac58", "⅝"), ("frac78", "⅞"), ("frac15", "⅕"), ("frac25", "⅖"), ("frac35", "⅗"),
        ("frac45", "⅘"), ("frac16", "⅙"), ("frac56", "⅚"), ("frasl", "\u{2044}"), ("deg", "°"), ("ordm", "º"),
        ("ordf", "ª"),
        ("times", "×"), ("ndash", "–"), ("mdash", "—"), ("lsquo", "‘"), ("rsquo", "’"), ("sbquo", "‚"), ("ldquo", "“"),
        ("rdquo", "”"), ("bdquo", "„"), ("laquo", "«"), ("raquo", "»"), ("hellip", "…"), ("bull", "•"), ("middot", "·"),
        ("reg", "®"), ("trade", "™"), ("copy", "©"), ("euro", "€"), ("agrave", "à"), ("aacute", "á"), ("acirc", "â"),
        ("atilde", "ã"), ("auml", "ä"), ("aring", "å"), ("aelig", "æ"), ("ccedil", "ç"), ("egrave", "è"),
        ("eacute", "é"),
        ("ecirc", "ê"), ("euml", "ë"), ("igrave", "ì"), ("iacute", "í"), ("icirc", "î"), ("iuml", "ï"), ("ntilde", "ñ"),
        ("ograve", "ò"), ("oacute", "ó"), ("ocirc", "ô"), ("otilde", "õ"), ("ouml", "ö"), ("oslash", "ø"),
        ("oelig", "œ"),
        ("ugrave", "ù"), ("uacute", "ú"), ("ucirc", "û"), ("uuml", "ü"), ("yacute", "ý"), ("szlig", "ß"),
        ("Agrave", "À"),
        ("Aacute", "Á"), ("Acirc", "Â"), ("Auml", "Ä"), ("Ccedil", "Ç"), ("Egrave", "È"), ("Eacute", "É"),
        ("Ecirc", "Ê"),
        ("Ntilde", "Ñ"), ("Oacute", "Ó"), ("Ouml", "Ö"), ("Oslash", "Ø"), ("OElig", "Œ"), ("Uuml", "Ü"),
    ]
}
