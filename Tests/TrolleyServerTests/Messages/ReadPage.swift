import TrolleyJournal
import TrolleyWire

/// `MessagesPage` as a client that doesn't fold reads it.
struct ReadPage: Decodable {
    struct Message: Decodable {
        struct Reaction: Decodable, Equatable {
            var text: String
            var accounts: [AccountID]
        }

        var id: EntryID
        var sequence: SequenceNumber
        var author: AccountID
        var madeAt: String
        var item: ItemID?
        var text: String
        var reactions: [Reaction]
        var pinned: Bool
    }

    var messages: [Message]
    var deleted: [EntryID]
    var total: Int
    var reads: [ReadMark]
    var token: String?
    var moreComing: Bool
    var next: String?
}
