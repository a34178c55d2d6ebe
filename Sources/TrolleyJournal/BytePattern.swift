/// A text that is looked for in many others, by its bytes. Takes time for each byte of the others once, however often a part of
/// the pattern repeats (Knuth, Morris and Pratt 1977).
struct BytePattern {
    private let bytes: [UInt8]
    /// For each length of a beginning of the pattern, the length of the longest shorter beginning that it ends with.
    private var borders: [Int] = [0]

    init(_ text: String) {
        bytes = text.withBytes { Array($0) }
        var border = 0
        for index in bytes.indices.dropFirst() {
            border = longest(border, before: bytes[index])
            borders.append(border)
        }
    }

    /// Whether the text contains the pattern. Every text contains an empty one.
    func isPart(of text: String) -> Bool { occurs(in: text) { _, _ in true } }

    /// Whether a word of the text begins with the pattern, which may have several words.
    func beginsWord(of text: String) -> Bool {
        occurs(in: text) { text, start in start == 0 || text[start - 1] == UInt8(ascii: " ") }
    }

    private func occurs(
        in text: String, where isFit: (UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool
    ) -> Bool {
        if bytes.isEmpty { return true }
        return text.withBytes { text in
            var length = 0
            for index in text.indices {
                if length == bytes.count { length = borders[length - 1] }
                length = longest(length, before: text[index])
                if length == bytes.count, isFit(text, index + 1 - length) { return true }
            }
            return false
        }
    }

    /// The length of the longest beginning of the pattern with which a text ends that ended with this much of it before its last
    /// byte.
    private func longest(_ length: Int, before byte: UInt8) -> Int {
        var length = length
        WorkCounter.step()
        while length > 0, bytes[length] != byte {
            WorkCounter.step()
            length = borders[length - 1]
        }
        return bytes[length] == byte ? length + 1 : length
    }
}
