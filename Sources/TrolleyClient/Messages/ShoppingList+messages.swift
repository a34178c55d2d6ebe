public import TrolleyJournal
import TrolleySync

// Messages on a list and on its items. They come with the list's changes, so everything here works offline.

extension ShoppingList {
    /// The last messages of a list, oldest first, with this device's own that wait to be sent.
    ///
    /// All messages are on the device, so scrolling back needs no network: pass the first message of a page as `before` to
    /// get the page above it. Changes are made by ``perform(_:)-([ListEdit])`` with ``ListEdit/message(_:about:)`` and the edits that
    /// follow it; ``Device/sync(_:within:)`` sends them and fetches what others wrote.
    ///
    /// ```swift
    /// let latest = try await list.messages(limit: 20)
    /// let earlier = try await list.messages(limit: 20, before: latest.first?.id)
    /// print(earlier.count + latest.count)
    /// ```
    /// - Parameters:
    ///   - limit: the largest number of messages.
    ///   - before: only messages above this one; nil: the newest.
    ///   - item: only messages about this item; nil: all.
    /// - Returns: the messages. ``delivery()`` tells from `Message.sequence` how far a message has come to each of
    ///   the others.
    /// - Throws: `.store`, for instance when the device doesn't have the list.
    public func messages(limit: Int = 50, before: EntryID? = nil, about item: ItemID? = nil) async throws(DeviceError)
        -> [Message]
    {
        let (conversation, account, _) = try await conversation()
        return conversation.messages(limit: limit, before: before, about: item, for: account)
    }

    /// One message.
    ///
    /// ```swift
    /// if let first = try await list.messages().first { print(try await list.message(first.id)?.isPinned ?? false) }
    /// ```
    /// - Returns: nil: the list has no such message, or it was deleted.
    /// - Throws: `.store`.
    public func message(_ id: EntryID) async throws(DeviceError) -> Message? {
        let (conversation, account, _) = try await conversation()
        return conversation.message(id, for: account)
    }

    /// The pinned messages of a list, oldest first.
    ///
    /// ```swift
    /// print(try await list.pinnedMessages().count)
    /// ```
    /// - Throws: `.store`.
    public func pinnedMessages() async throws(DeviceError) -> [Message] {
        let (conversation, account, _) = try await conversation()
        return conversation.pinned(for: account)
    }

    /// The number of a list's messages, without deleted ones.
    ///
    /// ```swift
    /// print(try await list.countMessages())
    /// ```
    /// - Throws: `.store`.
    public func countMessages() async throws(DeviceError) -> Int {
        try await conversation().0.count
    }

    /// Moves the list's read mark to the last of these messages that is unread and from somebody else. Makes no request, and
    /// changes nothing, if there is none.
    ///
    /// A list has one read mark, so changes before that message count as read too.
    ///
    /// ```swift
    /// try await list.markRead(list.messages())
    /// ```
    /// - Parameters:
    ///   - messages: the messages that the person sees.
    ///   - offline: whether to leave the mark to the next sync.
    /// - Returns: whether the mark has moved.
    /// - Throws: `.store`; `.transport`, when the service refuses the mark.
    @discardableResult
    public func markRead(_ messages: [Message], offline: Bool = false) async throws(DeviceError) -> Bool {
        let (_, account, read) = try await conversation()
        let unread = messages.lazy.filter { $0.author != account }.compactMap(\.sequence).filter { $0 > read }
        guard let last = unread.max() else { return false }
        _ = try await markRead(through: last, offline: offline)
        return true
    }

    /// The list's messages, the signed-in account, and how far it has read the list.
    private func conversation() async throws(DeviceError) -> (Conversation, account: AccountID?, read: SequenceNumber) {
        try await read { (try $0.conversation(of: $1), try $0.signedIn(), $1.read) }
    }
}

extension StoreTransaction {
    func conversation(of list: ListRow) throws -> Conversation { try folded(list).fold.conversation }
}
