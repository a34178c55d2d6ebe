import TrolleyCatalogue
public import TrolleyJournal

extension Device {
    /// The languages of which there is a catalogue, by their codes: `de`, `en`, `es`, `fr`, `it`, `nl`.
    public static var catalogueLanguages: [String] { Catalogues.languages }

    /// The catalogue of the device's language; nil without a language, or if there is none in it.
    public var catalogue: Catalogue? { language.flatMap { Catalogues.catalogue(for: $0) } }
}

extension ShoppingList {
    /// The aisle that a new item of this text would get, and why; nil if it would get none. Nothing is added.
    ///
    /// ```swift
    /// if let choice = try await list.aisle(forNew: "oat milk") { print(choice.aisle, choice.reason) }
    /// ```
    public func aisle(forNew text: String) async throws(DeviceError) -> AisleChoice? {
        try await read { [device] transaction, row in
            try transaction.aisleRule(for: [text], in: row, language: device.language).choice(of: text)
        }
    }

    /// The catalogue that names the list's aisles: in the list's language, which is that of the names that its aisles have,
    /// otherwise in the device's. Nil if the device has no ``Device/language``.
    ///
    /// ```swift
    /// let catalogue = try await list.catalogue()
    /// print(catalogue != nil)
    /// ```
    public func catalogue() async throws(DeviceError) -> Catalogue? {
        try await read { [device] transaction, row in
            try device.language.flatMap { try transaction.folded(row).fold.catalogues(language: $0).last }
        }
    }

    /// What a person may be about to add: first what was bought before, on all of this account's lists on this device, then
    /// words of the device's catalogue. What the list wants already doesn't come.
    ///
    /// ```swift
    /// print(try await list.completions(of: "ban", limit: 5).map(\.text))
    /// ```
    /// - Parameters:
    ///   - text: what was written so far.
    ///   - limit: the maximum number.
    public func completions(of text: String, limit: Int = 20) async throws(DeviceError) -> [Completion] {
        let (history, state) = try await historyAndState()
        return history.completions(
            of: text, for: state, at: device.clock().wall, catalogue: device.catalogue, limit: limit)
    }
}

extension ListFold {
    /// The catalogues to read for an item, in order; the last one names its aisle.
    /// - Parameter language: the device's.
    func catalogues(language: String) -> [Catalogue] {
        let own = Catalogues.catalogue(for: language)
        let named = aisleLanguage(among: Catalogues.aisleNames) ?? language
        let naming = named == language ? nil : Catalogues.catalogue(for: named)
        return [own, naming].compactMap { $0 }
    }
}
