/// What happens to an account's lists when it signs out. Local lists stay in any case.
public enum SignOutListPolicy: String, Hashable, Sendable {
    /// The lists leave the device, because the service has them. Those with unsent changes stay, hidden, until the
    /// account signs in again.
    case leave
    /// The lists stay, hidden, with their contents, until the account signs in again.
    case hide
    /// The lists stay visible, on this device alone, until the account signs in again.
    case stay
    /// The lists leave the device, with unsent changes and with contents that only this device has.
    case forget
}
