import TrolleyJournal
import TrolleyStore

@testable import TrolleyServer

/// As a test calls them that reads no heads of its own: they were read just now.
extension Subscription {
    @discardableResult
    func begin(at heads: [ListID: ListHead], lastEventID: String?) -> Bool {
        begin(at: heads, readAfter: .now, lastEventID: lastEventID)
    }

    func compare(with heads: [ListID: ListHead], changed: Set<ListID>, authors: [ListAuthor]) {
        _ = compare(with: heads, readAfter: .now, changed: changed, authors: authors)
    }
}
