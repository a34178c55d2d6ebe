extension String {
    /// Whether the text has the form of an email address: something, `@`, something, without white space, in at most 254
    /// bytes (RFC 5321 §4.5.3.1.3).
    public var isEmailAddress: Bool {
        // Scalars, not characters: the `@` and a combining mark after it are one character.
        let scalars = Array(unicodeScalars)
        let signs = scalars.indices.filter { scalars[$0] == "@" }
        guard signs.count == 1, let sign = signs.first, sign > 0, sign < scalars.count - 1 else { return false }
        return utf8.count <= 254 && scalars.allSatisfy { $0.value > 0x20 }
    }
}
