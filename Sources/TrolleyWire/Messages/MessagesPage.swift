public import TrolleyJournal

/// `GET /v1/lists/{id}/messages`: messages for clients that don't fold.
public struct MessagesPage: Hashable, Sendable {
    /// Oldest first. With `after`: the messages that are new since then or whose reactions or pin have changed.
    public var messages: [Message]
    /// Messages that were deleted after `after`; empty without `after`.
    public var deleted: [EntryID]
    /// The number of the list's messages, without deleted ones.
    public var total: Int
    /// How far the people on the list have read. A message is read if its sequence is not beyond that.
    public var reads: [ReadMark]
    /// The `after` of the next request for newer messages; nil with `before`.
    public var token: String?
    /// Whether there is more after `token` already.
    public var moreComing: Bool
    /// The `before` of the next request for older messages; nil if there are none, and always with `after`.
    public var next: String?

    public init(
        messages: [Message], deleted: [EntryID] = [], total: Int, reads: [ReadMark], token: String?,
        moreComing: Bool = false, next: String? = nil
    ) {
        self.messages = messages
        self.deleted = deleted
        self.total = total
        self.reads = reads
        self.token = token
        self.moreComing = moreComing
        self.next = next
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256 + 512 * messages.count)
        writer.object { writer in
            writer.member("messages", messages)
            writer.member("deleted", deleted)
            writer.member("total", total)
            writer.member("reads", reads) { mark, writer in
                writer.member("account", mark.account)
                writer.member("through", mark.through)
            }
            writer.member("token", token)
            writer.member("moreComing", moreComing)
            writer.member("next", next)
        }
        return writer.bytes
    }
}
