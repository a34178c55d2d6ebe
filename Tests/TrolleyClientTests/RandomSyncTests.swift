import Foundation
import Synchronization
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// Several devices, a bad network, a service that refuses, is restored and compresses. Afterwards all are equal and
/// nothing is lost. `TROLLEY_SEED` repeats one run, `TROLLEY_RUNS` says how many.
@Suite struct RandomSyncTests {
    @Test func `whatever goes wrong, devices end up equal and nothing is lost`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["TROLLEY_SEED"].flatMap { UInt64($0) }
        let runs = environment["TROLLEY_RUNS"].flatMap { Int($0) } ?? 12
        let start = first ?? UInt64.random(in: 0...UInt64(UInt32.max))
        for seed in start..<start + UInt64(first == nil ? runs : 1) {
            let run = try Run(seed: seed)
            try await run.play()
            await run.heal()
            try await run.check()
        }
    }
}

/// One run: everything in it follows from its seed.
private final class Run {
    let seed: UInt64
    let service = ScriptedService()
    var random: SeededGenerator
    var phones: [SyncTests.Phone] = []
    let list: ListID = Samples.id()
    /// All entries that any device ever made.
    var made: [EntryID: String] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 2...5, using: &random) { phones.append(try SyncTests.Phone(service)) }
    }

    func play() async throws {
        try await phones[0].store.addList(list)
        _ = await phones[0].engine.run(.byHand)
        let faults = Mutex(SeededGenerator(seed: seed &+ 1))
        let badness = Double.random(in: 0...0.6, using: &random)
        service.goWrong { _, _ in
            faults.withLock { random in
                guard Double.random(in: 0..<1, using: &random) < badness else { return nil }
                let codes: [ProblemCode] = [
                    .requestRateLimited, .zoneBusy, .serviceUnavailable, .internalError, .limitExceeded,
                ]
                return [
                    .lostRequest, .lostResponse, .problem(Problem(codes.randomElement(using: &random) ?? .zoneBusy)),
                ]
                .randomElement(using: &random)
            }
        }
        service.entriesPerRequest = Int.random(in: 1...20, using: &random)
        service.setPageSize(Int.random(in: 1...20, using: &random))
        for _ in 0..<Int.random(in: 20...80, using: &random) { try await step() }
    }

    private func step() async throws {
        guard let phone = phones.randomElement(using: &random) else { return }
        phone.clock.pass(Int64.random(in: 0...5000, using: &random))
        service.pass(milliseconds: 1000)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: try await change(phone)
        case 5..<8:
            _ = await phone.engine.run([.byHand, .push, .timer, .ownChange].randomElement(using: &random) ?? .byHand)
        case 8: service.entriesPerRequest = Int.random(in: 1...20, using: &random)
        default:
            if Bool.random(using: &random) {
                service.compress(list)
            } else if Int.random(in: 0..<2, using: &random) == 0, !service.entries(of: list).isEmpty {
                service.restore(list, losing: Int.random(in: 0...service.changeCount(of: list), using: &random))
            }
        }
    }

    private func change(_ phone: SyncTests.Phone) async throws {
        guard try await phone.store.standing().lists.contains(where: { $0.id == list }) else { return }
        let items = try await phone.state(of: list).items
        var entries: [JournalEntry] = []
        for number in 0..<Int.random(in: 1...8, using: &random) {
            if let item = items.randomElement(using: &random), Bool.random(using: &random) {
                let operations: [TrolleyJournal.Operation] = [.markOff, .unmark, .delete, .edit, .move]
                let operation = operations.randomElement(using: &random) ?? .edit
                var entry = JournalEntry(id: Samples.id(), operation: operation, item: item.id, deviceSequence: 1)
                if operation == .edit { entry.fields = ["note": .string("\(number)")] }
                if operation == .move { entry.after = items.randomElement(using: &random)?.id }
                entries.append(entry)
            } else {
                entries.append(Samples.add("\(number)", after: items.randomElement(using: &random)?.id))
            }
        }
        for entry in try await phone.store.append(entries, to: list, made: phone.clock.now) {
            made[entry.id] = entry.operation.rawValue
        }
    }

    /// The network is good again, and everybody syncs until nothing is left to do.
    func heal() async {
        service.heal()
        service.setPageSize(1000)
        for _ in 0..<4 {
            for phone in phones { _ = await phone.engine.run(.byHand) }
        }
    }

    func check() async throws {
        let entries = service.entries(of: list)
        let ids = entries.map(\.entry.id)
        #expect(Set(ids).count == ids.count, "an id is accepted once (I2), seed \(seed)")
        var refused: Set<EntryID> = []
        var states: [ListState] = []
        for phone in phones {
            let standing = try await phone.store.standing()
            #expect(standing.waiting == 0, "queues are empty (I5), seed \(seed)")
            refused.formUnion(try await phone.store.rejected().map(\.entry.id))
            let journal = try await phone.store.journal(of: list)
            #expect(journal.pending.isEmpty, "nothing is left to confirm, seed \(seed)")
            let differing = zip(journal.confirmed, entries).first { $0 != $1 }
            #expect(
                journal.confirmed.count == entries.count && differing == nil,
                "the stream is what the device has (I4), seed \(seed): \(String(describing: differing))")
            states.append(try await phone.state(of: list))
        }
        #expect(Set(states).count == 1, "all devices are equal (I5), seed \(seed)")
        let lost = made.keys.filter { !service.hasAccepted($0) && !refused.contains($0) }
        #expect(
            lost.isEmpty, "no change vanished without a verdict (I8), seed \(seed): \(lost.compactMap { made[$0] })")
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
