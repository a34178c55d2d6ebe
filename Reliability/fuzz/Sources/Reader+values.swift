import TrolleyJournal
import TrolleyWire

extension Reader {
    /// Values that have one text, or one text that is written.
    static let values = [
        Reader(name: "values") { bytes in
            let text = bytes.text
            canonical(Timestamp.self, text)
            canonical(StateDigest.self, text)
            canonical(EntryHash.self, text)
            canonical(ListID.self, text)
            if let bytes = Base64URL.decode(text) {
                let written = Base64URL.encode(bytes)
                require(Base64URL.decode(written) == bytes, "base64url \(text)")
            }
        }
    ]

    private static func canonical<Value: LosslessStringConvertible & Equatable>(_ type: Value.Type, _ text: String) {
        guard let value = Value(text) else { return }
        require(Value(value.description) == value, "\(type): \(text) is written as \(value.description)")
    }
}
