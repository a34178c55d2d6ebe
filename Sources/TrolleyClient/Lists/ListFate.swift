/// What becomes of an account's lists when it signs out. Lists on this device alone stay in any case.
public enum ListFate: String, Hashable, Sendable {
    /// They leave: the service has them. What could not be sent stays, hidden, until the account signs in again.
    case leave
    /// They stay, hidden, with all that is in them, until the account signs in again.
    case hide
    /// They stay in sight, on this device alone, until the account signs in again.
    case stay
    /// They leave, also what could not be sent and what only this device has.
    case forget
}
