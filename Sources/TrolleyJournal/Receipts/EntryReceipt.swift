/// The service's word that it has accepted an entry: who made it, on which device, with which number, and when. Only a
/// service with the same key can make or check it. A device keeps it, and shows it to a service that has lost the entry
/// (docs/recovery.md).
///
/// A device doesn't read it.
public struct EntryReceipt: Hashable, Sendable {
    /// 6 bytes in base64url.
    public let text: String

    public static let count = 8

    /// - Returns: nil unless the text has 8 bytes.
    public init?(_ text: String) {
        guard text.utf8.count == Self.count else { return nil }
        self.text = text
    }
}
