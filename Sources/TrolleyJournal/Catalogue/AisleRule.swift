/// The aisle of a new item, and what decided it.
public struct AisleChoice: Hashable, Sendable {
    /// What decided; the first of these that applies.
    public enum Reason: Hashable, Sendable {
        /// The person said it.
        case given
        /// An item of this text had it last on the list.
        case taught
        /// The household has given it to several items that the catalogue has together; this is one of them. So 'Fridge' takes the
        /// place of the catalogue's 'Dairy'.
        case alike(item: String)
        /// The catalogue has this word there.
        case catalogue(word: String)
    }

    public var aisle: String
    public var reason: Reason

    public init(aisle: String, reason: Reason) {
        self.aisle = aisle
        self.reason = reason
    }
}

/// The one place that decides the aisle of a new item for which the person gave none: what the household taught, otherwise what
/// the catalogue knows, otherwise none.
package struct AisleRule: Sendable {
    /// The last aisle of the items of a text on the list; a nil value: somebody removed it.
    private let taught: [ItemKey: String?]
    private let archived: PurchaseHistory
    private let fold: ListFold
    /// Finds an item's aisle, in this order: the device's language, then the list's.
    private let reading: [Catalogue]
    /// Names the aisle; in the list's language.
    private let naming: Catalogue?
    private let renamed: RenamedAisles
    /// The aisles that the list has now.
    private let present: Set<ItemKey>

    /// - Parameters:
    ///   - texts: of the items that may be asked for. The list is passed once, however many texts there are.
    ///   - archived: purchases whose entries compression has removed.
    ///   - catalogues: what is to be read, in this order. The last one names the aisle.
    package init(
        for texts: some Swift.Sequence<String>, on fold: ListFold, archived: PurchaseHistory = PurchaseHistory(),
        catalogues: [Catalogue] = []
    ) {
        taught = fold.taughtAisles(of: texts)
        self.archived = archived
        self.fold = fold
        reading = catalogues
        naming = catalogues.last
        renamed = fold.renamedAisles
        present = renamed.isEmpty ? [] : Set(fold.knownAisles.map { $0.itemKey })
    }

    /// The aisle of a new item; nil: none. An item whose aisle was removed gets none.
    package func choice(of text: String) -> AisleChoice? {
        guard var choice = formerChoice(of: text) else { return nil }
        // An aisle that somebody has given its name again since stays.
        guard !present.contains(choice.aisle.itemKey), let name = renamed[choice.aisle] else { return choice }
        guard let name else { return nil }
        choice.aisle = name
        return choice
    }

    /// The choice without regard to what the aisles are called now.
    private func formerChoice(of text: String) -> AisleChoice? {
        let key = text.itemKey
        if let taught = taught[key] { return taught.map { AisleChoice(aisle: $0, reason: .taught) } }
        if let aisle = archived.aisle(of: text) { return AisleChoice(aisle: aisle, reason: .taught) }
        guard let match = match(text), let naming,
            let aisle = naming.aisles.first(where: { $0.isSame(as: match.aisle) })
        else { return nil }
        return alike(aisle) ?? AisleChoice(aisle: aisle.name, reason: .catalogue(word: match.word))
    }

    private func match(_ text: String) -> Catalogue.Match? {
        for catalogue in reading {
            if let match = catalogue.match(text) { return match }
        }
        return nil
    }

    /// Of the list's items, this many are compared at most, the latest.
    private static let mostCompared = 200
    /// An aisle takes the place of a catalogue's if at least this many items are in it.
    private static let fewestAlike = 2

    /// The household's aisle for the items that the catalogue has in an aisle: the one that most of them have, if it is not the
    /// catalogue's.
    private func alike(_ wanted: Catalogue.Aisle) -> AisleChoice? {
        var counts: [ItemKey: (count: Int, choice: AisleChoice)] = [:]
        var compared = 0
        for item in fold.list.items.reversed() {
            guard let aisle = item.field(Fields.aisle)?.value.string, let text = item.field(Fields.text)?.value.string,
                !aisle.isEmpty
            else { continue }
            compared += 1
            if compared > Self.mostCompared { break }
            guard let match = match(text), match.aisle.isSame(as: wanted) else { continue }
            let choice = AisleChoice(aisle: aisle, reason: .alike(item: text))
            counts[aisle.itemKey, default: (0, choice)].count += 1
        }
        let own = counts.removeValue(forKey: wanted.name.itemKey)?.count ?? 0
        var best: (count: Int, choice: AisleChoice)?
        for (_, other) in counts where other.count >= Self.fewestAlike && other.count > own {
            guard let known = best else {
                best = other
                continue
            }
            // The same on every device.
            if other.count > known.count
                || other.count == known.count && other.choice.aisle.bytesPrecede(known.choice.aisle)
            {
                best = other
            }
        }
        return best?.choice
    }
}

extension ListFold {
    /// The last aisle of an item with each of these texts on the list, deleted or not; a nil value: somebody removed it. A text
    /// whose items never had one is missing. Texts that mean the same item have one key. Passes the list twice, however many
    /// texts there are.
    func taughtAisles(of texts: some Swift.Sequence<String>) -> [ItemKey: String?] {
        var aisles: [ItemKey: String?] = [:]
        for (key, aisle) in lastAisles(of: texts) { aisles.updateValue(aisle, forKey: key) }
        let asked = Set(texts.map { $0.itemKey })
        for item in list.items where item.field(Fields.aisle) != nil {
            guard let key = item.field(Fields.text)?.value.string?.itemKey, asked.contains(key), aisles[key] == nil
            else { continue }
            aisles.updateValue(nil, forKey: key)
        }
        return aisles
    }

    /// The language whose names the list's aisles have: the one with the most of them. Nil if no name is known, or if several
    /// languages have as many.
    /// - Parameter names: the names of the aisles in each language.
    package func aisleLanguage(among names: [(language: String, aisles: [String])]) -> String? {
        var used: Set<ItemKey> = []
        for aisle in aisles { used.insert(aisle.itemKey) }
        for item in list.items {
            if let aisle = item.field(Fields.aisle)?.value.string { used.insert(aisle.itemKey) }
        }
        guard !used.isEmpty else { return nil }
        let counts = names.map { name in name.aisles.count { used.contains($0.itemKey) } }
        guard let most = counts.max(), most > 0, counts.count(where: { $0 == most }) == 1,
            let index = counts.firstIndex(of: most)
        else { return nil }
        return names[index].language
    }
}

extension Catalogue.Aisle {
    /// Whether both are the same aisle, in whatever languages.
    fileprivate func isSame(as other: Catalogue.Aisle) -> Bool { id.hasSameBytes(as: other.id) }
}
