import TrolleyJournal
import TrolleySync

// Lists as documents for other programs. These calls need no network.

extension Device {
    /// Creates a list from a document. Adds the items as one gesture. The current list doesn't change.
    ///
    /// ```swift
    /// let document = ListDocument(name: "Party", items: [NewItem(ItemLine(text: "ice", quantity: "2 kg"))])
    /// let list = try await device.makeList(of: document, named: "Party")
    /// print(list.id)
    /// ```
    /// - Parameters:
    ///   - document: the list's content.
    ///   - name: the list's name, if the document has none.
    ///   - isLocal: whether to keep the list on this device alone until it is shared.
    /// - Throws: `.unusableText`, when a list can't contain part of the document; then no list is created.
    @discardableResult
    public func makeList(
        of document: ListDocument, named name: String, isLocal: Bool = false
    ) async throws(DeviceError) -> ShoppingList {
        let called = document.name ?? name
        try Self.check(called)
        for item in document.items {
            if let excess = item.fields.limitViolation { throw .unusableText(excess) }
        }
        var edits: [ListEdit] = document.aisles.isEmpty ? [] : [.orderAisles(document.aisles)]
        edits += document.shops.map { .setShop($0) }
        for item in document.items {
            let id = identifier(ItemID.self)
            edits.append(.add(id, item.fields, .bottom))
            if item.isMarkedOff { edits.append(.markOff(id)) }
        }
        let made = clock()
        let list = try await gesture { [self, edits] transaction in
            let list = try insertList(
                named: called, colour: document.colour, isLocal: isLocal, in: transaction, made: made)
            _ = try append(edits, to: list, in: transaction, made: made)
            if try transaction.value("current") == nil { try transaction.set("current", to: list.data) }
            return list
        }
        return self.list(list)
    }
}

extension ShoppingList {
    /// The list's present state on this device, as a document.
    ///
    /// ```swift
    /// print(try await list.document().text(as: .markdown))
    /// ```
    public func document() async throws(DeviceError) -> ListDocument {
        ListDocument(try await state())
    }
}
