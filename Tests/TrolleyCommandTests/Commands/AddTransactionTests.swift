import ArgumentParser
import GRDB
import Synchronization
import Testing
import TrolleyJournal
import TrolleySync

@testable import TrolleyClient
@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct AddTransactionTests {
    @Test(
        "an item is on disk after two transactions, also on a list that is named",
        arguments: [["add", "milk"], ["add", "milk", "--list", "Party"]])
    func durable(line: [String]) async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Party", isLocal: true)
        let parsed = try await Trolley.asyncParseAsRoot(line)
        let command = try #require(parsed as? any DeviceCommand)
        let begun = try await BegunTransactions.of(device)
        try await command.answer(on: device, Console(json: true, capture: Console.Capture()))
        // What a command reads, and then its change.
        #expect(Array(begun.statements.prefix(2)) == ["BEGIN DEFERRED TRANSACTION", "BEGIN IMMEDIATE TRANSACTION"])
        #expect(try await list.state().items.map(\.text) == ["milk"])
        await device.close()
    }

    @Test func `a list that isn't there, or has the name of another, is an error as in other commands`() async throws {
        let device = try Device.inMemory()
        await #expect(throws: CommandError.self) { _ = try await run("add", "milk", on: device) }
        for _ in 0..<2 { try await device.makeList(named: "Party", isLocal: true) }
        for name in ["Party", "Garden"] {
            await #expect(throws: CommandError.self) {
                _ = try await run("add", "milk", "--list", name, on: device)
            }
        }
        await device.close()
    }
}

/// The transactions that a device's database has begun.
private final class BegunTransactions: Sendable {
    private let begun = Mutex<[String]>([])

    var statements: [String] { begun.withLock { $0 } }

    static func of(_ device: Device) async throws -> BegunTransactions {
        let transactions = BegunTransactions()
        try await device.store.queue.writeWithoutTransaction { db in
            db.trace { event in
                let statement = "\(event)"
                guard statement.hasPrefix("BEGIN") else { return }
                transactions.begun.withLock { $0.append(statement) }
            }
        }
        return transactions
    }
}
