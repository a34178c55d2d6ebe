import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Response {
    /// The number of changes in one write: some hundred KiB.
    private static var changesAtATime: Int { 512 }

    /// A page of a list's changes. A long page is written in pieces, as fast as the client reads, so that it is never
    /// in memory twice.
    /// - Parameter page: the page without its changes.
    static func json(
        _ page: ChangesPage, of changes: StoredChanges, for account: AccountID, in store: Store
    ) throws(StoreError) -> Response {
        var beginning = JSONWriter(capacity: 640 * min(changes.count, changesAtATime) + 256)
        page.writeBeginning(to: &beginning)
        try changes.write(0..<min(changes.count, changesAtATime), to: &beginning)
        guard changes.count > changesAtATime else {
            page.writeEnd(to: &beginning)
            return try .json(reservation: beginning.take(), for: account, in: store, insteadOf: changes.reservation)
        }
        return .json(
            body: ResponseBody { [beginning] body in
                var writer = beginning
                for start in stride(from: changesAtATime, to: changes.count, by: changesAtATime) {
                    try await body.write(ByteBuffer(bytes: writer.take()))
                    try changes.write(start..<min(changes.count, start + changesAtATime), to: &writer)
                }
                page.writeEnd(to: &writer)
                try await body.write(ByteBuffer(bytes: writer.take()))
                try await body.finish(nil)
            })
    }
}
