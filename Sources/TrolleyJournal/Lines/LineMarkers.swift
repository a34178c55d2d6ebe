/// The markers before an item's text in a line: white space, a bullet, a number, a box; each at most once.
struct LineMarkers {
    /// Whether there is a ticked box.
    private(set) var isTicked = false
    /// The bytes after the markers, without white space around them.
    private(set) var rest: ArraySlice<UInt8>

    private static let bullets = ["-", "*", "+", "–", "—", "•", "‣", "◦", "·", "▪", "●", "○"]
    private static let open = ["[ ]", "[]", "☐", "⬜", "◻", "⬚"]
    private static let ticked = ["[x]", "[X]", "☑", "☒", "✓", "✔", "✅", "🗹"]

    init(_ line: ArraySlice<UInt8>) {
        rest = line.trimmed
        // A byte order mark, at the start of a file.
        if rest.starts(with: "\u{FEFF}") { rest = rest.dropFirst(3).trimmed }
        var (hasBullet, hasNumber, hasBox) = (false, false, false)
        while true {
            if !hasBullet, take(Self.bullets) {
                hasBullet = true
            } else if !hasBox, take(Self.open) {
                hasBox = true
            } else if !hasBox, take(Self.ticked) {
                hasBox = true
                isTicked = true
            } else if !hasNumber, takeNumber() {
                hasNumber = true
            } else {
                return
            }
        }
    }

    /// Removes one of these markers; an ASCII marker only before white space or at the end.
    private mutating func take(_ markers: [String]) -> Bool {
        for marker in markers where rest.starts(with: marker) {
            var after = rest.dropFirst(marker.utf8.count)
            let isASCII = marker.utf8.first ?? 0 < 0x80
            guard !isASCII || after.isEmpty || after.leadingSpace > 0 else { continue }
            // A variation selector: draws the sign as text, or in colour.
            while after.starts(with: "\u{FE0F}") || after.starts(with: "\u{FE0E}") {
                after = after.dropFirst(3)
            }
            rest = after.trimmed
            return true
        }
        return false
    }

    /// Removes `1. ` or `1) `, if something follows.
    private mutating func takeNumber() -> Bool {
        let digits = rest.prefix { $0.isDigit }
        let after = rest.dropFirst(digits.count)
        guard (1...3).contains(digits.count), let sign = after.first,
            sign == UInt8(ascii: ".") || sign == UInt8(ascii: ")")
        else { return false }
        let text = after.dropFirst()
        guard text.leadingSpace > 0 else { return false }
        rest = text.trimmed
        return true
    }
}

extension UInt8 {
    var isDigit: Bool { self &- 0x30 < 10 }

    /// Whether it is an ASCII letter, or part of a character that is not ASCII.
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 || self >= 0x80 }
}

extension ArraySlice<UInt8> {
    /// White space: that of ASCII, the no-break spaces, and the ideographic one.
    private static let spaces = ["\u{A0}", "\u{2007}", "\u{2009}", "\u{202F}", "\u{3000}"]

    func starts(with text: String) -> Bool {
        withUnsafeBufferPointer { bytes in text.withBytes { bytes.has($0, at: 0) } }
    }

    /// The number of bytes of white space at the start.
    var leadingSpace: Int {
        var index = startIndex
        while index < endIndex {
            if self[index] == 0x20 || self[index] &- 9 < 5 {
                index += 1
            } else if let space = Self.spaces.first(where: { self[index...].starts(with: $0) }) {
                index += space.utf8.count
            } else {
                break
            }
        }
        return index - startIndex
    }

    /// Without the white space around it.
    var trimmed: ArraySlice<UInt8> {
        var slice = dropFirst(leadingSpace)
        while let last = slice.last {
            if last == 0x20 || last &- 9 < 5 {
                slice = slice.dropLast()
            } else if let space = Self.spaces.first(where: { slice.suffix($0.utf8.count).starts(with: $0) }) {
                slice = slice.dropLast(space.utf8.count)
            } else {
                break
            }
        }
        return slice
    }
}
