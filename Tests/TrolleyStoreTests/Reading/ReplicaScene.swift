import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyStore

/// Alice writes to three lists, and adds and removes Bob, while Bob's device fetches through a replica. Some commits
/// wait for a standby and others don't, and the replay pauses now and then. So the two servers show commits in
/// different orders.
struct ReplicaScene {
    private let test: TestStore
    /// Another process on the same database, without a replica.
    private let plain: TestStore
    private let local: TestStore
    private let cluster: Replication
    private let alice, bob: Session
    private let lists: [ListID]
    private var random: SeededGenerator
    private let seed: UInt64
    /// The lists that Bob is on, as far as confirmed.
    private var joined: Set<ListID>
    /// The sequence up to which his device has each list, without gaps.
    private var tokens: [ListID: SequenceNumber] = [:]
    /// The minimum sequence of each list in any answer.
    private var confirmed: [ListID: SequenceNumber] = [:]
    /// Uploads that wait for a standby and lock their list.
    private var waiting: [ListID: Task<[UploadResult], any Error>] = [:]
    private var (isWaitingForStandby, isPaused) = (false, false)
    private var counter: Int64 = 0
    /// Fetches that nothing kept the replica from answering.
    private(set) var certainAnswers = 0

    init(_ test: TestStore, _ cluster: Replication, seed: UInt64) async throws {
        (self.test, self.cluster, self.seed) = (test, cluster, seed)
        random = SeededGenerator(seed: seed)
        plain = TestStore(store: Store(pool: test.pool), pool: test.pool)
        local = try await cluster.withoutWaiting(test)
        (alice, bob) = (try await test.person("alice"), try await test.person("bob"))
        var lists: [ListID] = []
        for _ in 0..<3 {
            let list = try await test.list(of: alice)
            try await test.add(bob, to: list, of: alice)
            lists.append(list)
        }
        self.lists = lists
        joined = Set(lists)
    }

    mutating func step() async throws {
        switch random.below(100) {
        case ..<30: try await upload()
        case ..<36: try await changeMembership()
        case ..<42: try await pauseOrResume()
        case ..<48: try await holdOrRelease()
        case ..<75: try await fetchAll()
        default: try await fetchOne()
        }
    }

    /// Lets all waiting operations end.
    mutating func finish() async throws {
        if isPaused { try await pauseOrResume() }
        if isWaitingForStandby { try await holdOrRelease() }
        try await cluster.catchUp()
        try await fetchAll()
        await local.pool.close()
    }

    // MARK: The primary

    private mutating func upload() async throws {
        guard let list = random.pick(lists.filter { waiting[$0] == nil }) else { return }
        counter += 1
        let entry = JournalEntry.add("item \(counter)", counter)
        if isWaitingForStandby, random.chance(50) {
            waiting[list] = Task { [test, alice] in try await test.upload([entry], to: list, by: alice) }
            return
        }
        let results = try await (isWaitingForStandby ? local : test).upload([entry], to: list, by: alice)
        confirmed[list] = results[0].sequence
    }

    private mutating func changeMembership() async throws {
        guard let list = random.pick(lists.filter { waiting[$0] == nil }) else { return }
        let store = isWaitingForStandby ? local : test
        if joined.contains(list) {
            try await store.store.removeParticipant(bob.account, from: list, by: alice.account)
            joined.remove(list)
            tokens[list] = nil
        } else {
            try await store.add(bob, to: list, of: alice)
            joined.insert(list)
        }
    }

    private mutating func holdOrRelease() async throws {
        isWaitingForStandby.toggle()
        try await cluster.waitForStandby(isWaitingForStandby ? "nobody" : "")
        for (list, task) in waiting { confirmed[list] = try await task.value[0].sequence }
        waiting = [:]
    }

    // MARK: The replica

    private mutating func pauseOrResume() async throws {
        isPaused.toggle()
        if isPaused { try await cluster.pause() } else { try await cluster.resume() }
    }

    // MARK: Bob's device

    private mutating func fetchAll() async throws {
        let isCertain = !isPaused && !isWaitingForStandby && !joined.isEmpty && random.chance(60)
        if isCertain {
            try await cluster.catchUp()
            certainAnswers += 1
        }
        // Sometimes a process without a replica answers.
        let store = !isCertain && random.chance(20) ? plain.store : test.store
        let all = try await store.changes(for: bob.account, after: tokens, limit: 1000)
        #expect(Set(all.changeRanges.map(\.list)) == joined, "TROLLEY_SEED=\(seed)")
        #expect(Set(all.gone.keys).isDisjoint(with: joined), "TROLLEY_SEED=\(seed)")
        for changeRange in all.changeRanges { try take(changeRange) }
    }

    private mutating func fetchOne() async throws {
        let list = lists[random.below(lists.count)]
        let store = random.chance(20) ? plain.store : test.store
        do {
            let changeRange = try await store.changes(
                of: list, for: bob.account, after: tokens[list] ?? .start, limit: 1000)
            #expect(joined.contains(list), "Bob is served a list that he is not on. TROLLEY_SEED=\(seed)")
            try take(changeRange)
        } catch let error as StoreError {
            switch error {
            case .gone, .notOnList: #expect(!joined.contains(list), "TROLLEY_SEED=\(seed)")
            default: throw error
            }
        }
    }

    private mutating func take(_ changeRange: ChangeRange) throws {
        let after = tokens[changeRange.list] ?? .start
        #expect(changeRange.head >= after, "the token is beyond the list: an epoch would begin. TROLLEY_SEED=\(seed)")
        #expect(
            changeRange.head >= confirmed[changeRange.list] ?? .start, "an answer from the past. TROLLEY_SEED=\(seed)")
        let expected = (0..<max(0, changeRange.head.rawValue - after.rawValue)).map { after.advanced(by: Int($0) + 1) }
        #expect(try changeRange.changes.map(\.sequence) == expected, "a change is missing. TROLLEY_SEED=\(seed)")
        tokens[changeRange.list] = changeRange.head
    }
}
