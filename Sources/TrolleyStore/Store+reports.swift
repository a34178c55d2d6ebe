import Crypto
public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension Store {
    /// Keeps what a device says of its queues, and how far it is on its lists: the newest of each device. It is written
    /// only when it differs from what is there, or when that is a few minutes old.
    /// - Parameters:
    ///   - report: nil from a device that doesn't say.
    ///   - positions: the sequence that each list's token stood for.
    /// - Returns: whether it was written.
    @discardableResult
    public func keep(
        _ report: QueueReport?, positions: [ListID: SequenceNumber], of device: DeviceID
    ) async throws(StoreError) -> Bool {
        let held = report?.held.filter { positions[$0.key] != nil } ?? [:]
        let positions = try columnJSON(positions)
        let hash = SHA256.hash(data: Array("\(try columnJSON(report?.withoutAges)) \(positions)".utf8))
        let rows = try await execute(
            ReportSQL.keep,
            [
                device, try report.map { (report) throws(StoreError) in PostgresJSONB(try columnJSON(report)) },
                PostgresJSONB(positions),
                PostgresJSONB(try columnJSON(held)), Array(hash),
            ])
        return !rows.isEmpty
    }
}
