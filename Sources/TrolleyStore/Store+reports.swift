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

    /// How many entries wait in the queues of all devices that have said so within a day, by queue (`upload`, `toApply`)
    /// and operation; 0 where none does.
    public func waitingOnDevices() async throws(StoreError) -> [(queue: String, operation: String, entries: Int)] {
        let operations = Operation.allCases.map(\.rawValue)
        let found = try await all(ReportSQL.waiting, [operations]) { row throws(PostgresError) in
            try row.decode((String, String, Int64).self)
        }
        return ["upload", "toApply"].flatMap { queue in
            operations.map { operation in
                (queue, operation, found.first { $0.0 == queue && $0.1 == operation }.map { Int($0.2) } ?? 0)
            }
        }
    }
}
