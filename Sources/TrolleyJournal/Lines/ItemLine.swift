/// One line of a list as people write and paste it: `- milk`, `* 2x eggs`, `[x] sugar`, `1. salt`, `milk, 2 l`.
///
/// Parts that are not understood stay in the text, so nothing is lost: text and quantity are pieces of the line as it
/// was written. `docs/journal.md` ('Lines') gives the rule, `Tests/Vectors/lines` has cases for it.
public struct ItemLine: Hashable, Sendable {
    /// The item's text; never empty.
    public var text: String
    /// The quantity; nil where the line has none.
    public var quantity: String?
    /// Whether the line's box is ticked.
    public var isMarkedOff: Bool

    public init(text: String, quantity: String? = nil, isMarkedOff: Bool = false) {
        self.text = text
        self.quantity = quantity
        self.isMarkedOff = isMarkedOff
    }

    /// Parses one line.
    /// - Parameter quantities: whether to look for quantities; otherwise they stay in the text.
    /// - Returns: nil for a line with nothing but white space, a bullet or a box.
    public init?(_ line: String, quantities: Bool = true) {
        self.init(line: Array(line.utf8)[...], quantities: quantities)
    }

    /// Parses a text, one item per line. Blank lines are left out.
    /// - Parameter quantities: whether to look for quantities; otherwise they stay in the text.
    public static func lines(of text: String, quantities: Bool = true) -> [ItemLine] {
        Array(text.utf8).lines.compactMap { ItemLine(line: $0, quantities: quantities) }
    }

    private init?(line: ArraySlice<UInt8>, quantities: Bool) {
        let markers = LineMarkers(line)
        guard !markers.rest.isEmpty else { return nil }
        isMarkedOff = markers.isTicked
        if quantities, let parts = QuantityInLine(markers.rest) {
            text = String(decoding: parts.text, as: UTF8.self)
            quantity = String(decoding: parts.quantity, as: UTF8.self)
        } else {
            text = String(decoding: markers.rest, as: UTF8.self)
            quantity = nil
        }
    }

    /// The fields of a new item.
    public var fields: Fields {
        var fields: Fields = [Fields.text: .string(text)]
        if let quantity { fields[Fields.quantity] = .string(quantity) }
        return fields
    }
}

extension [UInt8] {
    /// The pieces between line ends: LF, CR, CR LF, and Unicode's line and paragraph separators.
    var lines: [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = startIndex
        var index = startIndex
        while index < endIndex {
            var length = 0
            if self[index] == 0x0A || self[index] == 0x0D {
                length = 1
            } else if self[index] == 0xE2, index + 2 < endIndex, self[index + 1] == 0x80, self[index + 2] & 0xFE == 0xA8
            {
                length = 3
            }
            guard length > 0 else {
                index += 1
                continue
            }
            lines.append(self[start..<index])
            index += length
            start = index
        }
        lines.append(self[start...])
        return lines
    }
}
