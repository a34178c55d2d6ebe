import TrolleyJournal
import TrolleySync

extension ShoppingList {
    /// Adds a shop to the list, for everybody, or gives it another order of aisles. An item says in ``TrolleyJournal/Fields/shop``
    /// that it is bought there only.
    ///
    /// ```swift
    /// try await list.setShop("Corner shop", aisles: ["Bakery", "Dairy"])
    /// try await list.edit(milk.id, [Fields.shop: .string("Corner shop")])
    /// print(try await list.state().shops.map(\.name))
    /// ```
    /// - Parameters:
    ///   - name: one line. A shop of this name, however it is capitalized, is the same shop.
    ///   - aisles: the order of the aisles there; empty: the list's; nil: as it is.
    /// - Returns: whether anything changed.
    /// - Throws: `.unusableText`: the name is blank or has several lines, or the order is too long; `.readOnly`; `.store`.
    @discardableResult
    public func setShop(_ name: String, aisles: [String]? = nil) async throws(DeviceError) -> Bool {
        try Self.check(shop: name)
        return try await !append { $0.state.drafts(shop: name, aisles: aisles) }.isEmpty
    }

    /// Removes a shop from the list, for everybody. What was bought there only can be bought anywhere then. ``undo(anyway:)``
    /// brings all of it back.
    ///
    /// ```swift
    /// try await list.removeShop("Corner shop")
    /// ```
    /// - Returns: whether the list had it.
    @discardableResult
    public func removeShop(_ name: String) async throws(DeviceError) -> Bool {
        try await !append { $0.drafts(removingShop: name) }.isEmpty
    }

    static func check(shop name: String) throws(DeviceError) {
        try Device.check(name)
        switch ShopNameFault(of: name) {
        case .empty: throw .unusableText("a shop needs a name")
        case .severalLines: throw .unusableText("a shop's name is one line")
        case nil: return
        }
    }

    /// Makes the entries of a plan over the present list, as one gesture.
    func append(_ plan: @escaping @Sendable (ListFold) -> [EntryDraft]) async throws(DeviceError) -> [EntryDraft] {
        let made = device.clock()
        let batch = device.identifier(BatchID.self)
        return try await device.gesture { [self] transaction in
            let row = try transaction.list(id)
            if try transaction.isReadOnly(row) { throw DeviceError.readOnly }
            let drafts = plan(try transaction.folded(row).fold)
            guard !drafts.isEmpty else { return [] }
            let entries = drafts.map { $0.entry(id: device.identifier(), batch: batch, deviceSequence: 1) }
            for entry in entries {
                if let excess = entry.fields.limitViolation { throw DeviceError.unusableText(excess) }
            }
            _ = try transaction.append(entries, to: row, made: made)
            return drafts
        }
    }
}
