/// A number at the start of some text, as recipes write it: `2`, `1.5`, `1,5`, `1/2`, `1 1/2`, `1-1/2`, `½`, `1½`, `1,000`.
struct IngredientNumber {
    private(set) var value: Ratio
    /// In bytes.
    private(set) var length: Int
    /// Whether decimals follow a comma.
    private(set) var hasComma = false

    /// The signs of fractions, which a scaled number uses, too.
    static let fractions: [(sign: String, value: Ratio)] = [
        ("½", Ratio(1, 2)), ("⅓", Ratio(1, 3)), ("⅔", Ratio(2, 3)), ("¼", Ratio(1, 4)), ("¾", Ratio(3, 4)),
        ("⅛", Ratio(1, 8)), ("⅜", Ratio(3, 8)), ("⅝", Ratio(5, 8)), ("⅞", Ratio(7, 8)), ("⅕", Ratio(1, 5)),
        ("⅖", Ratio(2, 5)), ("⅗", Ratio(3, 5)), ("⅘", Ratio(4, 5)), ("⅙", Ratio(1, 6)), ("⅚", Ratio(5, 6)),
    ]
    /// Between a whole number and its fraction: `1 and 1/2`.
    private static let ands = ["and", "&", "und", "et", "y", "e", "en"]
    /// More digits are no amount.
    private static let maxDigits = 6

    init?(_ bytes: ArraySlice<UInt8>) {
        if let (value, length) = Self.fraction(bytes) {
            (self.value, self.length) = (value, length)
        } else {
            guard let (whole, digits) = Self.whole(bytes) else { return nil }
            (value, length) = (Ratio(whole), digits)
            let after = bytes.dropFirst(digits)
            if let (fraction, gap) = Self.fractionAfterWhole(after) {
                value = value.plus(fraction)
                length += gap
            } else if let sign = after.first, sign == UInt8(ascii: ".") || sign == UInt8(ascii: ",") {
                addDecimals(after.dropFirst(), whole: whole, isComma: sign == UInt8(ascii: ","))
            }
        }
        let next = bytes.dropFirst(length)
        if next.first == UInt8(ascii: "%") || next.starts(with: "°") { return nil }
    }

    private mutating func addDecimals(_ bytes: ArraySlice<UInt8>, whole: Int, isComma: Bool) {
        let digits = bytes.prefix { $0.isDigit }
        guard (1...4).contains(digits.count) else { return }
        var (above, below) = (0, 1)
        for digit in digits { (above, below) = (above * 10 + Int(digit & 0x0F), below * 10) }
        length += 1 + digits.count
        if isComma, digits.count == 3, whole > 0, whole < 1000 {
            value = Ratio(whole * 1000 + above)
        } else {
            value = Ratio(whole).plus(Ratio(above, below))
            hasComma = isComma
        }
    }

    private static func whole(_ bytes: ArraySlice<UInt8>) -> (value: Int, length: Int)? {
        let digits = bytes.prefix { $0.isDigit }
        // `00` is a kind of flour.
        guard (1...maxDigits).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        return (digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }, digits.count)
    }

    /// The fraction of a mixed number, and its length with the white space or hyphen before it.
    private static func fractionAfterWhole(_ bytes: ArraySlice<UInt8>) -> (Ratio, Int)? {
        var rest = bytes.dropFirst(bytes.leadingSpace)
        if rest.startIndex == bytes.startIndex {
            // `1-1/2` is one and a half.
            if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        } else if let and = ands.lazy.compactMap({ rest.end(of: $0) }).first, and.leadingSpace > 0 {
            rest = and.dropFirst(and.leadingSpace)
        }
        // After digits, `/` belongs to them.
        guard let (fraction, length) = fraction(rest), fraction < Ratio(1) else { return nil }
        return (fraction, rest.startIndex - bytes.startIndex + length)
    }

    /// `½`, `1/2`, `1⁄2`.
    private static func fraction(_ bytes: ArraySlice<UInt8>) -> (Ratio, Int)? {
        for (sign, value) in fractions where bytes.starts(with: sign) { return (value, sign.utf8.count) }
        guard let (above, length) = whole(bytes) else { return nil }
        let after = bytes.dropFirst(length)
        let slash = after.first == UInt8(ascii: "/") ? 1 : after.starts(with: "\u{2044}") ? 3 : 0
        guard slash > 0, let (below, belowLength) = whole(after.dropFirst(slash)) else { return nil }
        // `200/250` is a range, `24/7` is none of both.
        guard (2...16).contains(below), above > 0, above < 5 * below else { return nil }
        return (Ratio(above, below), length + slash + belowLength)
    }
}
