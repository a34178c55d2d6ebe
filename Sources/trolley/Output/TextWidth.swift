import TrolleyWire

// The width of text in a terminal, and fitting text to a width.

extension String {
    /// The width of the text in terminal columns: two for each wide character (East Asian, emoji), none for combining
    /// marks.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text in at most `limit` columns; a truncated text ends in '…'.
    func fitted(to limit: Int) -> String {
        let text = inOneLine
        if text.columns <= limit { return text }
        var fitted = ""
        var width = 0
        for character in text {
            width += character.columns
            if width > limit - 1 { break }
            fitted.append(character)
        }
        return limit > 0 ? fitted + "…" : ""
    }

    /// The text in exactly `width` columns.
    func padded(to width: Int) -> String {
        let text = fitted(to: width)
        return text + String(repeating: " ", count: max(0, width - text.columns))
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        if unicodeScalars.count > 1, unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.value == 0x200D }) {
            return 2
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        switch scalar.value {
        // Unicode's East Asian Width, wide and fullwidth, in blocks (UAX #11).
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
