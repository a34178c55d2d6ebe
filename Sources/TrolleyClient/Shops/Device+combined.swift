public import TrolleyJournal
import TrolleySync

// Shopping several lists at the same time.

extension Device {
    /// Switches shopping mode of several lists, as ``ShoppingList/setShopping(_:at:)`` does for one, all or none of them.
    ///
    /// ```swift
    /// try await device.setShopping(true, at: "Corner shop", on: device.lists().map(\.id))
    /// ```
    public func setShopping(_ isShopping: Bool, at shop: String? = nil, on lists: [ListID]) async throws(DeviceError) {
        let now = clock().wall
        let place = shop.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        if let place { try ShoppingList.check(shop: place) }
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.setShopping(isShopping, shop: place, in: lists, at: now)
        }
    }

    /// The rows of several lists as one: what they call by the same text is one row, in the order of the shop where the person
    /// is. Needs no network.
    ///
    /// ```swift
    /// for row in try await device.combinedRows(of: device.lists().map(\.id)) { print(row.text, row.parts.count) }
    /// ```
    /// - Parameter lists: where they differ, the first one decides.
    public func combinedRows(of lists: [ListID]) async throws(DeviceError) -> [CombinedRow] {
        try await read { try $0.combinedRows(of: lists) }
    }

    /// Marks off all parts of rows, on each of their lists. It is one gesture on each list, all of them or none.
    ///
    /// ```swift
    /// let rows = try await device.combinedRows(of: device.lists().map(\.id))
    /// try await device.markOff(rows.filter { $0.text == "milk" })
    /// ```
    /// - Throws: `.readOnly`: one of the lists may only be looked at; `.store`.
    public func markOff(_ rows: [CombinedRow]) async throws(DeviceError) {
        try await perform(on: rows) { .markOff($0) }
    }

    /// Says that all parts of rows are wanted again.
    ///
    /// ```swift
    /// let rows = try await device.combinedRows(of: device.lists().map(\.id))
    /// try await device.unmark(rows.filter { $0.text == "milk" })
    /// ```
    /// - Throws: `.readOnly`: one of the lists may only be looked at; `.store`.
    public func unmark(_ rows: [CombinedRow]) async throws(DeviceError) { try await perform(on: rows) { .unmark($0) } }

    private func perform(
        on rows: [CombinedRow], _ edit: @escaping @Sendable (ItemID) -> ListEdit
    ) async throws(DeviceError) {
        let made = clock()
        let parts = rows.flatMap(\.parts)
        try await gesture { [self] transaction in
            for (list, parts) in Dictionary(grouping: parts, by: \.list) {
                _ = try append(parts.map { edit($0.item.id) }, to: list, in: transaction, made: made)
            }
        }
    }
}

extension StoreTransaction {
    fileprivate func combinedRows(of lists: [ListID]) throws -> [CombinedRow] {
        let usesLearned = try usesLearnedOrder()
        return try lists.map { id in
            let list = try list(id)
            let fold = try folded(list).fold
            let learned = usesLearned ? try learnedOrder(of: list) : nil
            return CombinedPart(
                list: id, rows: try rows(of: list), aisles: fold.shops.aisles(at: try shop(of: list), of: fold.aisles),
                learned: learned ?? LearnedOrder(of: [], at: Timestamp(milliseconds: 0)))
        }.combinedRows
    }
}
