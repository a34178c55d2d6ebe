/// An amount at the start of some text: `2`, `500 g`, `1.5 l`, `1 1/2 cups`, `2 × 500 g`.
struct Amount {
    /// Whether it contains a unit or a second number.
    private(set) var hasUnit: Bool
    /// The bytes after the amount.
    private(set) var rest: ArraySlice<UInt8>
    /// Whether its unit is a thing, as in `1 can`, which needs an 'of' before the item's name, because of 'can opener'.
    private var isOneThing = false

    /// Units of weight and volume, which need no 'of'.
    private static let measures = [
        "kilograms", "kilogram", "kilos", "kilo", "kg", "grams", "gram", "gr", "mg", "g", "litres", "litre", "liters",
        "liter", "ml", "cl", "dl", "l", "fl oz", "ounces", "ounce", "oz", "pounds", "pound", "lbs", "lb", "pints",
        "pint",
        "quarts", "quart", "qt", "gallons", "gallon", "gal", "tbsp", "tsp", "dozen", "pcs", "pc",
    ]
    /// Units that are things, singular and plural.
    private static let things = [
        ("bag", "bags"), ("bottle", "bottles"), ("box", "boxes"), ("bunch", "bunches"), ("can", "cans"),
        ("carton", "cartons"), ("clove", "cloves"), ("cup", "cups"), ("head", "heads"), ("jar", "jars"),
        ("loaf", "loaves"), ("pack", "packs"), ("packet", "packets"), ("piece", "pieces"), ("slice", "slices"),
        ("tin", "tins"), ("tub", "tubs"), ("tube", "tubes"),
    ]

    /// - Parameter bytes: begins with the amount.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard let number = Self.number(bytes) else { return nil }
        rest = bytes.dropFirst(number)
        hasUnit = false
        let unit = rest.dropFirst(rest.leadingSpace)
        if let times = Self.times(rest), let factor = Amount(rest.dropFirst(times.length).droppingSpace) {
            self = factor
            hasUnit = true
        } else if let end = Self.measures.lazy.compactMap({ unit.end(of: $0) }).first {
            (hasUnit, rest) = (true, end)
            // `lb.`
            let afterStop = end.dropFirst()
            if end.first == UInt8(ascii: "."), afterStop.isEmpty || afterStop.leadingSpace > 0 { rest = afterStop }
        } else if let end = Self.things.lazy.compactMap({ unit.end(of: $0.1) }).first {
            (hasUnit, rest) = (true, end)
        } else if let end = Self.things.lazy.compactMap({ unit.end(of: $0.0) }).first {
            (hasUnit, rest, isOneThing) = (true, end, true)
        }
    }

    /// The item's name: the rest without an 'of'.
    var text: ArraySlice<UInt8> {
        let text = rest.trimmed
        guard let of = text.end(of: "of"), of.leadingSpace > 0 else { return text }
        return of.trimmed
    }

    /// Whether the rest can be an item's name.
    var isFollowedByText: Bool {
        guard rest.leadingSpace > 0, !rest.trimmed.isEmpty else { return false }
        guard !text.isEmpty else { return false }
        return !isOneThing || text.startIndex > rest.trimmed.startIndex
    }

    /// Whether the bytes are only an amount, with or without a times sign around it.
    static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool { Amount(bytes)?.rest.isEmpty == true }

    /// The amount, if the bytes are nothing else: `2 l`, `x2`, `2x`.
    static func whole(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if isWhole(bytes) { return bytes }
        if let times = times(bytes), isWhole(bytes.dropFirst(times.length).trimmed) {
            return bytes.dropFirst(times.length).trimmed
        }
        if let number = number(bytes), let times = times(bytes.dropFirst(number)), number + times.length == bytes.count
        {
            return bytes.prefix(number)
        }
        return nil
    }

    /// Whether a number counts things: 1 to 99, or a fraction.
    static func isCount(_ number: ArraySlice<UInt8>) -> Bool {
        let digits = number.prefix { $0.isDigit }
        if digits.count < number.count {
            return !number.contains(UInt8(ascii: ".")) && !number.contains(UInt8(ascii: ","))
        }
        return digits.count <= 2 && digits.first != UInt8(ascii: "0")
    }

    /// The length in bytes of a number at the start: `2`, `1.5`, `1,5`, `1/2`, `1 1/2`, `½`, `1½`.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        if let length = fraction(bytes) { return length }
        let whole = bytes.prefix { $0.isDigit }.count
        if whole == 0 { return nil }
        let after = bytes.dropFirst(whole)
        if let length = fraction(after.droppingSpace) { return whole + after.leadingSpace + length }
        if let sign = after.first, sign == UInt8(ascii: ".") || sign == UInt8(ascii: ",") {
            let decimals = after.dropFirst().prefix { $0.isDigit }.count
            if decimals > 0 { return whole + 1 + decimals }
        }
        return whole
    }

    private static func fraction(_ bytes: ArraySlice<UInt8>) -> Int? {
        for sign in ["½", "¼", "¾", "⅓", "⅔", "⅛"] where bytes.starts(with: sign) { return sign.utf8.count }
        let above = bytes.prefix { $0.isDigit }.count
        guard above > 0, bytes.dropFirst(above).first == UInt8(ascii: "/") else { return nil }
        let below = bytes.dropFirst(above + 1).prefix { $0.isDigit }.count
        return below > 0 ? above + 1 + below : nil
    }

    /// A times sign at the start, with or without white space before it.
    /// - Returns: the length in bytes including the white space, the length of the white space, and whether the sign is
    ///   the letter x.
    static func times(_ bytes: ArraySlice<UInt8>) -> (length: Int, space: Int, isLetter: Bool)? {
        let space = bytes.leadingSpace
        let sign = bytes.dropFirst(space)
        if sign.starts(with: "×") { return (space + 2, space, false) }
        guard let first = sign.first, first | 0x20 == UInt8(ascii: "x") || first == UInt8(ascii: "*") else {
            return nil
        }
        // The letter x must not be the start of a word.
        if let next = sign.dropFirst().first, next.isLetter { return nil }
        return (space + 1, space, true)
    }
}

extension ArraySlice<UInt8> {
    var droppingSpace: ArraySlice<UInt8> { dropFirst(leadingSpace) }

    /// The bytes after a word at the start, in upper or lower case; nil when there is no such word, or a letter or
    /// digit follows.
    func end(of word: String) -> ArraySlice<UInt8>? {
        let start = prefix(word.utf8.count).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        guard start.count == word.utf8.count, start[...].starts(with: word) else { return nil }
        let rest = dropFirst(start.count)
        if let next = rest.first, next.isDigit || next.isLetter, rest.leadingSpace == 0 { return nil }
        return rest
    }
}
