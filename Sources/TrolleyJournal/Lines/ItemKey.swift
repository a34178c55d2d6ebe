/// What all texts that mean the same item have in common: the text in lower case, with single spaces. Keys are equal if
/// their UTF-8 bytes are.
package struct ItemKey: Sendable {
    package let text: String

    package init(_ text: String) {
        let bytes = text.inLowerCase.withBytes { Array($0) }
        var key: [UInt8] = []
        var index = 0
        var isAfterSpace = false
        while index < bytes.count {
            // U+00A0 is a space, too.
            let isWide = bytes[index] == 0xC2 && index + 1 < bytes.count && bytes[index + 1] == 0xA0
            if isWide || bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t") {
                isAfterSpace = !key.isEmpty
                index += isWide ? 2 : 1
                continue
            }
            if isAfterSpace { key.append(UInt8(ascii: " ")) }
            isAfterSpace = false
            key.append(bytes[index])
            index += 1
        }
        self.text = String(decoding: key, as: UTF8.self)
    }
}

extension ItemKey: Hashable {
    package static func == (left: ItemKey, right: ItemKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// The key of all texts that mean the same item.
    package var itemKey: ItemKey { ItemKey(self) }
}
