import TrolleyWire

/// The rule for new passwords: 8 to 200 characters.
enum NewPassword {
    /// - Throws: `invalidArguments`.
    static func check(_ password: String) throws(Problem) {
        guard (8...200).contains(password.unicodeScalars.count) else {
            throw Problem(.invalidArguments, "a password must have 8 to 200 characters")
        }
    }
}
