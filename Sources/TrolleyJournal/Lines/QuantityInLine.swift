/// A line's two parts: a quantity and an item's text.
struct QuantityInLine {
    private(set) var text: ArraySlice<UInt8>
    private(set) var quantity: ArraySlice<UInt8>

    /// The longest line in which a quantity is looked for, in bytes.
    private static let longest = 1024

    /// Finds the quantity before or after the text; the first form that fits counts.
    /// - Parameter line: without white space around it.
    /// - Returns: nil when there is no quantity, or no text beside it.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.count <= Self.longest, !Amount.isWhole(line),
            let parts = Self.inFront(of: line) ?? Self.inBrackets(line) ?? Self.behindSign(line) ?? Self.atTheEnd(line)
        else { return nil }
        text = parts.text.trimmed
        quantity = parts.quantity.trimmed
        // The text needs a letter or digit; a comma is not a text.
        if quantity.isEmpty || !text.contains(where: { $0.isLetter || $0.isDigit }) { return nil }
    }

    private typealias Parts = (text: ArraySlice<UInt8>, quantity: ArraySlice<UInt8>)

    /// `2x eggs`, `2 × 500 g pasta`, `500 g pasta`, `2 cans of tomatoes`, `6 eggs`.
    private static func inFront(of line: ArraySlice<UInt8>) -> Parts? {
        guard let number = Amount.number(line) else { return nil }
        let afterNumber = line.dropFirst(number)
        if let times = Amount.times(afterNumber) {
            let rest = afterNumber.dropFirst(times.length)
            if let amount = Amount(rest.trimmed), amount.hasUnit, amount.isFollowedByText {
                return (amount.text, line[line.startIndex..<amount.rest.startIndex])
            }
            // `2xl shirts` is a size.
            guard rest.leadingSpace > 0 || !times.isLetter else { return nil }
            return (rest, line.prefix(number))
        }
        if let amount = Amount(line), amount.hasUnit, amount.isFollowedByText {
            return (amount.text, line[line.startIndex..<amount.rest.startIndex])
        }
        // A bare number must be a count, before a word of three letters or more: not `7 up`, not `3 in 1 oil`, not `00 flour`.
        guard Amount.isCount(line.prefix(number)), afterNumber.leadingSpace > 0 else { return nil }
        let name = afterNumber.trimmed
        guard name.count >= 3, name.prefix(3).allSatisfy({ $0.isLetter }) else { return nil }
        return (name, line.prefix(number))
    }

    /// `milk (2 l)`.
    private static func inBrackets(_ line: ArraySlice<UInt8>) -> Parts? {
        guard line.last == UInt8(ascii: ")"), let open = line.lastIndex(of: UInt8(ascii: "(")) else { return nil }
        guard let quantity = Amount.whole(line[(open + 1)...].dropLast().trimmed) else { return nil }
        return (line[..<open], quantity)
    }

    /// `milk, 2 l`, `milk: 2 l`, `eggs x2`, `pasta × 2 × 500 g`: after the first comma, colon or times sign that only a
    /// quantity follows.
    private static func behindSign(_ line: ArraySlice<UInt8>) -> Parts? {
        for index in line.indices.dropFirst() {
            let before = line[line.startIndex..<index]
            let after = line[index...]
            if after.first == UInt8(ascii: ",") || after.first == UInt8(ascii: ":") {
                // `1,5 l` is a number.
                let isDecimal = before.last?.isDigit == true && after.dropFirst().first?.isDigit == true
                if !isDecimal, let quantity = Amount.whole(after.dropFirst().trimmed) { return (before, quantity) }
            } else if let times = Amount.times(after), times.space == 0, before.hasTrailingSpace,
                before.trimmed.last?.isDigit != true
            {
                let quantity = after.dropFirst(times.length).trimmed
                if Amount.isWhole(quantity) { return (before, quantity) }
            }
        }
        return nil
    }

    /// `milk 2 l`, `eggs 2x`.
    private static func atTheEnd(_ line: ArraySlice<UInt8>) -> Parts? {
        for index in line.indices.dropFirst() where line[index].isDigit && line[..<index].hasTrailingSpace {
            let end = line[index...]
            if let amount = Amount(end), amount.hasUnit, amount.rest.isEmpty { return (line[..<index], end) }
            if let number = Amount.number(end), let times = Amount.times(end.dropFirst(number)),
                number + times.length == end.count
            {
                return (line[..<index], end.prefix(number))
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var hasTrailingSpace: Bool { trimmed.endIndex < endIndex }
}
