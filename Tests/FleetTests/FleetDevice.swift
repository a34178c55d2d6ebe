import FoundationEssentials
import Synchronization
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// One device of a fleet: its files, its clock, and the signed-in person.
final class FleetDevice {
    let number: Int
    let person: Int
    private let directory = FleetDirectory()
    private(set) var store: SQLiteStore
    let clock = FleetClock()
    let fuse = Fuse()
    var session: TrolleyClient.AccountSession?
    /// All entries that were ever made on the device, in order, with the list's number.
    var made: [(id: EntryID, list: Int)] = []
    /// Whether the device was told to drop confirmed entries.
    var hasForgotten = false

    init(number: Int, person: Int) throws {
        self.number = number
        self.person = person
        store = try SQLiteStore(directory: directory.path)
    }

    /// One run of the engine. A device that dies in it starts again with the same files.
    func sync(_ trigger: Trigger, over network: FleetNetwork, random: UInt64) async throws -> SyncReport? {
        guard let session else { return nil }
        let jitter = Mutex(SeededGenerator(seed: random))
        let engine = SyncEngine(
            store: CrashingStore(store: store, fuse: fuse),
            transport: FleetTransport(
                network: network, device: number, account: session.account, token: session.token),
            clock: { [clock] in clock.now },
            random: { Double(jitter.withLock { $0.next() } >> 11) * 0x1p-53 })
        let report = await engine.run(trigger)
        guard fuse.isBurnt else { return report }
        store = try SQLiteStore(directory: directory.path)
        fuse.light(after: nil)
        return nil
    }

    /// The list's fold, with the device's own unconfirmed entries.
    func state(of list: ListID) async throws -> ListState {
        let journal = try await store.journal(of: list)
        return ListState(folding: journal.confirmed, pending: journal.pending)
    }

    /// The list's messages, with the device's own unconfirmed ones.
    func messages(on list: ListID) async throws -> [Message] {
        try await store.read { try $0.conversation(of: $0.list(list)) }.messages()
    }

    /// Whether the list is on the device and in step with the service. False for a list that is on the device alone.
    func has(_ list: ListID) async throws -> Bool {
        try await store.deviceStatus().lists.contains { $0.id == list && !$0.isLocal }
    }

    /// The waiting entries of lists that are on the device alone.
    func kept() async throws -> Set<EntryID> {
        var kept: Set<EntryID> = []
        for list in try await store.deviceStatus().lists where list.isLocal {
            kept.formUnion(try await store.waiting(in: list.id, limit: .max).map(\.entry.id))
        }
        return kept
    }
}

/// A clock that only the run moves. It is far behind any service's clock, so that nothing depends on the present date.
final class FleetClock: Sendable {
    private let milliseconds = Mutex<Int64>(0)

    var now: DeviceTime {
        let passed = milliseconds.withLock { $0 }
        return DeviceTime(boot: "fleet", uptime: passed, wall: Timestamp(milliseconds: 1_000_000_000_000 + passed))
    }

    func pass(_ time: Int64) { milliseconds.withLock { $0 += time } }
}

final class FleetDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.path() + "/trolley-fleet-\(UUID().uuidString)"

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // The file was never created.
        }
    }
}
