/// What items were called, entry by entry: at each moment the text that was made last of those that had come.
public struct ItemTexts: Sendable {
    private var latest: [ItemID: (text: String, stamp: Stamp)] = [:]

    public init() {}

    /// Takes the next entry of the stream.
    /// - Returns: what the entry's item is called now; nil for an entry of no item, and before the item has a text.
    public mutating func take(_ entry: ConfirmedEntry) -> String? {
        guard let item = entry.entry.item else { return nil }
        if let text = entry.entry.fields[Fields.text]?.string, latest[item].map({ $0.stamp < entry.stamp }) ?? true {
            latest[item] = (text, entry.stamp)
        }
        return latest[item]?.text
    }
}
