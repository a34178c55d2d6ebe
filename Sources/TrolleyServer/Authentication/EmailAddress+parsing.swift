import TrolleyStore
import TrolleyWire

extension EmailAddress {
    /// Checks the form of an address: something, `@`, something, in at most 254 bytes (RFC 5321 §4.5.3.1.3).
    init(_ text: String) throws(Problem) {
        let address = text.trimmed
        // Search scalars, not characters: the `@` and a combining mark after it are one character.
        let parts = address.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), address.utf8.count <= 254,
            address.unicodeScalars.allSatisfy({ $0.value > 0x20 }), !address.steersTerminal,
            // The service gives an account an address in this domain when another person verifies the account's
            // address.
            String(parts[1]).lowercased() != "unverified.invalid"
        else { throw Problem(.invalidArguments, "email must be an address like anna@example.com") }
        self.init(unchecked: address)
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
