import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension ChangeToken {
    /// Refuses a parameter that was never a token.
    /// - Throws: `Problem` (`invalidArguments`).
    static func checkForm(_ text: String?, called name: String) throws(Problem) {
        if let text, !isWellFormed(text) { throw Problem(.invalidArguments, "\(name) is not a change token") }
    }

    enum Validity: Hashable {
        /// All changes after the token exist.
        case valid
        /// The token is from another epoch, or some changes after it no longer exist.
        case expired
        /// The token is from this epoch, but the list has never been at its place: the database is an older copy of
        /// itself.
        case wentBack
    }

    /// Checks a token against the primary database's state of its list.
    /// - Parameter isRead: whether the range begins at the token. Otherwise it doesn't have the mark of the token's place.
    func validity(for changeRange: ChangeRange, isRead: Bool = true) -> Validity {
        guard epoch == changeRange.epoch.high else { return .expired }
        guard sequence <= changeRange.head else { return .wentBack }
        if isRead, let mark, sequence > .start {
            if let found = changeRange.mark {
                guard found == mark else { return .wentBack }
            } else if sequence != changeRange.head, sequence != changeRange.trailFrom {
                // The change at that place is unknown, so the device may have seen another one there.
                return .expired
            }
        }
        return changeRange.trailFrom > floor ? .expired : .valid
    }
}
