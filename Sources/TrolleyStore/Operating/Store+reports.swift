import Crypto
package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Stores a device's report on its queues and its positions on its lists, replacing the previous one. Writes only
    /// if the report differs from the stored one or the stored one is a few minutes old.
    /// - Parameters:
    ///   - report: nil from a device that doesn't report.
    ///   - positions: the sequence of each list's token.
    ///   - all: the answer that the device has just received; it contains what is stored.
    /// - Returns: whether the report was written.
    @discardableResult
    package func saveReport(
        _ report: QueueReport?, positions: [ListID: SequenceNumber], of device: DeviceID,
        answered all: AllChanges? = nil
    ) async throws(StoreError) -> Bool {
        let hash = Self.hash(of: report, positions)
        if all?.report == hash { return false }
        let held = report?.held.filter { positions[$0.key] != nil } ?? [:]
        let rows = try await execute(
            ReportSQL.keep,
            [
                device, try report.map { (report) throws(StoreError) in PostgresJSONB(try columnJSON(report)) },
                PostgresJSONB(try columnJSON(positions)), PostgresJSONB(try columnJSON(held)), hash,
            ])
        if rows.isEmpty { return false }
        let isWaiting = report.map { !$0.upload.isEmpty || !$0.toApply.isEmpty } ?? false
        try await execute(isWaiting ? ReportSQL.noteWaiting : ReportSQL.noteEmpty, [device])
        return true
    }

    /// Hashes a report without its ages.
    private static func hash(of report: QueueReport?, _ positions: [ListID: SequenceNumber]) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        func write(_ numbers: [ListID: Int64]) {
            writer.array { writer in
                for (list, number) in numbers.sorted(by: { $0.key < $1.key }) {
                    writer.identifier(list)
                    writer.integer(number)
                }
            }
        }
        write(positions.mapValues(\.rawValue))
        if let report {
            for counts in [report.upload, report.toApply] {
                writer.array { writer in
                    for (operation, count) in counts.sorted(by: { $0.key < $1.key }) {
                        writer.string(operation)
                        writer.integer(Int64(count))
                    }
                }
            }
            write(report.held)
            writer.array { writer in
                for failure in report.failures {
                    writer.string(failure.code)
                    writer.integer(Int64(failure.count))
                }
            }
        }
        return Array(SHA256.hash(data: writer.bytes))
    }

    /// The number of entries that wait in the queues of all devices that have reported within a day, by queue
    /// (`upload`, `toApply`) and operation. The result contains every combination, with 0 where nothing waits.
    package func waitingOnDevices() async throws(StoreError) -> [(queue: String, operation: String, entries: Int)] {
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
