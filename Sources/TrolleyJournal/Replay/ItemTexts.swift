/// The texts of items over time: at each entry, the latest text among the entries so far.
public struct ItemTexts: Sendable {
    private var latest: [ItemID: (text: String, stamp: Stamp)] = [:]

    public init() {}

    /// Takes the next entry of the stream.
    /// - Returns: the item's text after the entry; nil for an entry without an item, and while the item has no text.
    public mutating func take(_ entry: ConfirmedEntry) -> String? {
        guard let item = entry.entry.item else { return nil }
        if entry.entry.operation.writesFields, let text = entry.entry.fields[Fields.text]?.string,
            latest[item].map({ $0.stamp < entry.stamp }) ?? true
        {
            latest[item] = (text, entry.stamp)
        }
        return latest[item]?.text
    }
}
