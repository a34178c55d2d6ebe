/// An email address. Addresses that differ only in case are equal.
package struct EmailAddress: Hashable, Sendable {
    /// As the person wrote it.
    package let text: String
    /// The form that is compared.
    package var key: String { text.lowercased() }

    /// Trusts the caller that the text has the form of an address.
    package init(unchecked text: String) { self.text = text }
}
