/// A text's words in small letters from a to z, without accents, as the catalogue compares them: 'Crème fraîche' is `creme`,
/// `fraiche`.
struct CatalogueWords {
    /// The words, in order. A number is an empty word. Words of one letter are left out.
    private(set) var words: [[UInt8]] = []
    /// The places in `words` where a new part of the text begins: after a comma or a bracket.
    private(set) var parts: Set<Int> = []

    /// Words beyond these are not read.
    private static let mostWords = 24
    /// A longer word is unknown.
    private static let longestWord = 40
    /// Stands for a letter of another script, which no word of a catalogue has.
    private static let otherLetter: UInt8 = 0x7F

    /// - Parameters:
    ///   - text: of any length; the first words are read, and none of the rest.
    ///   - joinsUmlauts: whether `ae` means `ä`, so that 'Kaese' and 'Käse' are the same word.
    init(_ text: some Swift.Sequence<Unicode.Scalar>, joinsUmlauts: Bool = false) {
        var word: [UInt8] = []
        var isNumber = false
        func finish(_ words: inout [[UInt8]]) {
            if isNumber {
                words.append([])
            } else if word.count > 1 {
                words.append(word.count > Self.longestWord ? [Self.otherLetter] : word)
            }
            word = []
            isNumber = false
        }
        var length = 0
        for scalar in text {
            length += 1
            if words.count >= Self.mostWords || length > Self.mostWords * Self.longestWord { break }
            switch Self.letter(scalar) {
            case .letter(let letter, let second):
                if word.count > Self.longestWord { continue }
                let last = word.last
                let isUmlaut =
                    joinsUmlauts && letter == UInt8(ascii: "e")
                    && (last == UInt8(ascii: "a") || last == UInt8(ascii: "o") || last == UInt8(ascii: "u"))
                if !isUmlaut { word.append(letter) }
                if let second { word.append(second) }
            case .digit:
                // `500g` is a number; the digit of `omega3` is none.
                if word.isEmpty { isNumber = true }
            case .mark: break
            case .space: finish(&words)
            case .stop:
                finish(&words)
                parts.insert(words.count)
            }
        }
        finish(&words)
    }

    private enum Kind {
        case letter(UInt8, second: UInt8?)
        case digit
        /// Changes the letter before it.
        case mark
        case space
        /// Ends a part of the text.
        case stop
    }

    private static func letter(_ scalar: Unicode.Scalar) -> Kind {
        let value = LowercaseMapping.lowercase(of: scalar).value
        switch value {
        case 0x61...0x7A: return .letter(UInt8(value), second: nil)
        case 0x30...0x39: return .digit
        case 0x28, 0x29, 0x2C, 0x3B: return .stop
        case 0xDF, 0x1E9E: return .letter(UInt8(ascii: "s"), second: UInt8(ascii: "s"))
        case 0xE6: return .letter(UInt8(ascii: "a"), second: UInt8(ascii: "e"))
        case 0x153: return .letter(UInt8(ascii: "o"), second: UInt8(ascii: "e"))
        case 0xE0...0x17F:
            var last: UInt32 = 0xE0
            for (count, letter) in latin {
                last += UInt32(count)
                if value < last { return .letter(letter, second: nil) }
            }
            return .letter(otherLetter, second: nil)
        case 0x300...0x36F, 0xAD, 0x200B...0x200D: return .mark
        case 0...0xBF, 0x2000...0x206F, 0x3000...0x303F, 0xFE00...0xFFFF: return .space
        default: return .letter(otherLetter, second: nil)
        }
    }

    /// From U+00E0 on: the number of letters, and the letter that each is without its accent.
    private static let latin: [(UInt8, UInt8)] = [
        (7, 0x61), (1, 0x63), (4, 0x65), (4, 0x69), (1, 0x64), (1, 0x6E), (7, 0x6F), (1, 0x6F), (4, 0x75), (1, 0x79),
        (1, 0x74), (1, 0x79), (6, 0x61), (8, 0x63), (4, 0x64), (10, 0x65), (8, 0x67), (4, 0x68), (12, 0x69),
        (2, 0x6A), (3, 0x6B), (10, 0x6C), (9, 0x6E), (8, 0x6F), (6, 0x72), (8, 0x73), (6, 0x74), (12, 0x75),
        (2, 0x77), (3, 0x79), (6, 0x7A), (1, 0x73),
    ]
}
