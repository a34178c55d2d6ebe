import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension EmailAddress {
    /// Checks the form of an address.
    init(_ text: String) throws(Problem) {
        let address = text.trimmed
        guard address.isEmailAddress, !address.steersTerminal,
            // The service gives an account an address in this domain when another person verifies the account's
            // address.
            !address.lowercased().hasSuffix("@unverified.invalid")
        else { throw Problem(.invalidArguments, "email must be an address like anna@example.com") }
        self.init(unchecked: address)
    }
}
