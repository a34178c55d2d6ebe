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
        try await makeLists(of: [document], named: name, isLocal: isLocal)[0]
    }

    /// Does the same as ``makeList(of:named:isLocal:)`` for several documents: creates all lists or none.
    package func makeLists(
        of documents: [ListDocument], named name: String, isLocal: Bool = false
    ) async throws(DeviceError) -> [ShoppingList] {
        for document in documents { try Self.check(document.name ?? name) }
        let edits = documents.map { self.edits(of: $0) }
        let made = clock()
        let lists = try await gesture { [self] transaction -> [ListID] in
            var lists: [ListID] = []
            for (document, edits) in zip(documents, edits) {
                let list = try insertList(
                    named: document.name ?? name, colour: document.colour, isLocal: isLocal, in: transaction, made: made
                )
                _ = try append(edits, to: list, in: transaction, made: made)
                lists.append(list)
            }
            if let first = lists.first, try transaction.value("current") == nil {
                try transaction.set("current", to: first.data)
            }
            return lists
        }
        return lists.map { list($0) }
    }

    private func edits(of document: ListDocument) -> [ListEdit] {
        var edits: [ListEdit] = document.aisles.isEmpty ? [] : [.orderAisles(document.aisles)]
        edits += document.shops.map { .setShop($0) }
        for item in document.items {
            let id = identifier(ItemID.self)
            edits.append(.add(id, item.fields, .bottom))
            if item.isMarkedOff { edits.append(.markOff(id)) }
        }
        return edits
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
