import TrolleyJournal

/// A string of a JSON message, where it stands in the message if it is ASCII without escapes. Comparing it with a literal
/// allocates nothing, so objects' keys are read as such. The message must outlive it.
public struct JSONText {
    /// Its bytes in the message; nil if it had to be decoded.
    let ascii: UnsafeBufferPointer<UInt8>?
    private let decoded: String

    init(ascii: UnsafeBufferPointer<UInt8>) {
        self.ascii = ascii
        decoded = ""
    }

    init(_ decoded: String) {
        ascii = nil
        self.decoded = decoded
    }

    public var string: String { ascii.map { String(decoding: $0, as: UTF8.self) } ?? decoded }

    /// Whether the UTF-8 of both is equal.
    @inline(never) public static func == (text: JSONText, literal: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard let ascii = text.ascii else { return text.decoded.withBytes { $0.elementsEqual(expected) } }
        guard ascii.count == expected.count else { return false }
        for index in ascii.indices where ascii[index] != expected[index] { return false }
        return true
    }

    /// Lets `switch` compare it with literals.
    public static func ~= (literal: StaticString, text: JSONText) -> Bool { text == literal }
}
