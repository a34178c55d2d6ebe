extension IngredientLine {
    /// The line for another number of portions. Only numbers of the quantity change; the size of each thing, as in
    /// `2 (14 oz) cans`, and the note don't.
    /// - Parameters:
    ///   - portions: the wanted number.
    ///   - own: the recipe's number; not 0.
    ///   - usesComma: whether new decimals follow a comma.
    public func scaled(by portions: Int, of own: Int, usesComma: Bool = false) -> IngredientLine {
        guard let quantity, own > 0, portions >= 0 else { return self }
        var bytes = Array(quantity.utf8)
        guard bytes.count <= Self.longest, let parsed = IngredientQuantity(bytes[...]) else { return self }
        let factor = Ratio(portions, own)
        for (number, range) in parsed.numbers.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            guard let value = number.value.times(factor) else { return self }
            let isDecimal = bytes[range].contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
            let text = value.written(asDecimal: isDecimal, usesComma: number.hasComma || usesComma)
            bytes.replaceSubrange(range, with: Array(text.utf8))
        }
        var line = self
        line.quantity = String(decoding: bytes, as: UTF8.self)
        return line
    }
}

extension String {
    /// Whether a number in the quantity has decimals after a comma.
    var hasDecimalComma: Bool {
        IngredientQuantity(Array(utf8)[...])?.numbers.contains { $0.value.hasComma } ?? false
    }
}

extension Ratio {
    /// The number as a recipe writes it: `3`, `1½`, `37.5`, `188`.
    fileprivate func written(asDecimal isDecimal: Bool, usesComma: Bool) -> String {
        if below == 1 { return String(above) }
        let whole = above / below
        if !isDecimal, whole < 10, let fraction = IngredientNumber.fractions.first(where: { $0.value == rest }) {
            return whole == 0 ? fraction.sign : String(joining: String(whole), fraction.sign)
        }
        // From 100 on, a scale shows no less.
        let digits = whole >= 100 ? 0 : whole >= 10 ? 1 : 2
        let scale = [1, 10, 100][digits]
        let (product, overflows) = above.multipliedReportingOverflow(by: 2 * scale)
        if overflows { return String(whole) }
        // Rounds half up; never to nothing.
        let rounded = max((product + below) / (2 * below), 1)
        var decimals = String(rounded % scale)
        while decimals.utf8.count < digits { decimals = String(joining: "0", decimals) }
        while decimals.utf8.last == UInt8(ascii: "0") { decimals.removeLast() }
        if digits == 0 || decimals.isEmpty { return String(rounded / scale) }
        return String(joining: String(rounded / scale), usesComma ? "," : ".", decimals)
    }

    /// The part below one.
    private var rest: Ratio { Ratio(above % below, below) }
}
