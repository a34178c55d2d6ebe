import FoundationEssentials
import Synchronization
import TrolleyJournal
import TrolleyServer
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// One run of a fleet: three to six devices of two or three people, one or two lists, the real service, and all kinds
/// of faults. All decisions follow from the seed, and the run uses only its own clock.
final class FleetRun {
    let seed: UInt64
    let network: FleetNetwork
    var random: SeededGenerator
    private(set) var devices: [FleetDevice] = []
    private(set) var people: [AccountResponse] = []
    private(set) var lists: [FleetList] = []
    /// The latest backup of the database.
    private var backup: Backup?
    private let database: FleetDatabase
    /// Entries that the service accepted, and lost when a copy was restored.
    private(set) var lost: Set<EntryID> = []

    struct FleetList {
        var id: ListID
        var owner: Int
        /// The people on the list.
        var members: Set<Int>
        var readers: Set<Int> = []
        var isEnded = false
        var wasCompressed = false
    }

    private struct Backup {
        var lists: [FleetList]
        var name: String
    }

    init(seed: UInt64, database: FleetDatabase) async throws {
        self.seed = seed
        self.database = database
        random = SeededGenerator(seed: seed)
        let service = database.service
        network = FleetNetwork(service, seed: seed &+ 1)
        for number in 0..<2 + random.below(2) {
            people.append(try await network.signUp("p\(number)-\(seed)-\(database.nextNumber())@example.com"))
        }
        for number in 0..<3 + random.below(4) {
            let device = try FleetDevice(
                number: number, person: number < people.count ? number : random.below(people.count))
            devices.append(device)
            try await signIn(device)
        }
        for _ in 0..<1 + random.below(2) { try await makeList(on: devices[random.below(people.count)]) }
        network.state.withLock { $0.badness = random.below(60) }
    }

    func play() async throws {
        for _ in 0..<20 + random.below(40) {
            try await step()
            if !network.state.withLock({ $0.violations.isEmpty }) { return }
        }
    }

    private func step() async throws {
        guard let device = random.pick(devices) else { return }
        device.clock.pass(Int64(random.below(120)) * 60_000)
        switch random.below(100) {
        case ..<38: try await change(on: device)
        case ..<72: try await sync(device)
        case ..<76: try await invite()
        case ..<78: try await leave()
        case ..<80: try await remove()
        case ..<81: try await stopSharing()
        case ..<85: try await compress()
        case ..<87: try await beginEpoch()
        case ..<89: try await lowerLimits()
        case ..<92: try await shop(on: device)
        case ..<94: try await device.store.forgetTokens(of: random.chance(50) ? random.pick(lists)?.id : nil)
        case ..<96: try await endSession(of: device)
        case ..<97: await network.deliver()
        default: if backup == nil { try await save() } else { try await restore() }
        }
    }

    // MARK: People's actions

    private func makeList(on device: FleetDevice) async throws {
        let list: ListID = identifier()
        let mark = self.mark(lists.count)
        try await device.store.addList(list)
        lists.append(FleetList(id: list, owner: device.person, members: [device.person]))
        noteMembers()
        var rename = JournalEntry(id: identifier(), operation: .renameList, deviceSequence: 1)
        rename.fields[Fields.text] = .string(mark)
        try await append([rename], on: device, list: lists.count - 1)
        // Restoring a copy of the database without the list would end the list.
        _ = try await device.sync(.manual, over: network, random: 0)
    }

    /// The mark in each text of a list, and in no other list's.
    func mark(_ list: Int) -> String { "list\(list)of\(seed)#" }

    private func change(on device: FleetDevice) async throws {
        let number = random.below(lists.count)
        let list = lists[number].id
        guard try await device.has(list), try await !isReadOnly(number, on: device) else { return }
        if random.chance(12) {
            let cause: Cause = random.chance(60) ? .undo : .redo
            let ids: [EntryID] = (0..<64).map { _ in identifier() }
            let (made, batch): (DeviceTime, BatchID) = (device.clock.now, identifier())
            let entries = try await device.store.write { transaction in
                var left = ids.makeIterator()
                return try transaction.revert(
                    cause, in: try transaction.list(list), anyway: true, made: made,
                    identifier: { left.next() ?? ids[0] }, batch: batch)?.entries ?? []
            }
            device.made += entries.map { ($0.id, number) }
            return
        }
        let items = try await device.state(of: list).items
        let messages = try await device.messages(on: list).map(\.id)
        var entries: [JournalEntry] = []
        let batch: BatchID = identifier()
        for index in 0..<1 + random.below(random.chance(10) ? 60 : 6) {
            let text = "\(mark(number)) \(device.number).\(device.made.count + index)"
            entries.append(random.chance(15) ? say(text, among: messages) : edit(of: items, text: text))
            entries[entries.count - 1].batch = batch
        }
        try await append(entries, on: device, list: number)
    }

    private func edit(of items: [Item], text: String) -> JournalEntry {
        let operations: [TrolleyJournal.Operation] = [.markOff, .markOff, .unmark, .delete, .edit, .move, .renameList]
        guard let item = random.pick(items), random.chance(60), let operation = random.pick(operations) else {
            var entry = JournalEntry(id: identifier(), operation: .add, item: identifier(), deviceSequence: 1)
            entry.fields[Fields.text] = .string(text)
            entry.after = random.chance(20) ? nil : random.pick(items)?.id
            return entry
        }
        var entry = JournalEntry(id: identifier(), operation: operation, deviceSequence: 1)
        if operation.concernsItem { entry.item = item.id }
        if operation == .edit { entry.fields[random.chance(50) ? Fields.text : Fields.note] = .string(text) }
        if operation == .renameList { entry.fields[Fields.text] = .string(text) }
        if operation == .move { entry.after = random.pick(items)?.id }
        return entry
    }

    /// A message, or something about one. Not everybody may delete each message, so the service refuses some of these.
    private func say(_ text: String, among messages: [EntryID]) -> JournalEntry {
        let operations: [TrolleyJournal.Operation] = [.react, .react, .unreact, .pin, .unpin, .deleteMessage]
        guard let message = random.pick(messages), random.chance(60), let operation = random.pick(operations) else {
            var entry = JournalEntry(id: identifier(), operation: .message, deviceSequence: 1)
            entry.fields[Fields.text] = .string(text)
            return entry
        }
        var entry = JournalEntry(id: identifier(), operation: operation, deviceSequence: 1)
        entry.fields[Fields.message] = .string(message.description)
        if operation == .react || operation == .unreact { entry.fields[Fields.text] = .string("👍") }
        return entry
    }

    private func append(_ entries: [JournalEntry], on device: FleetDevice, list: Int) async throws {
        let entries = try await device.store.append(entries, to: lists[list].id, made: device.clock.now)
        device.made += entries.map { ($0.id, list) }
    }

    /// The same rule as ``Device/isReadOnly(_:)``.
    private func isReadOnly(_ list: Int, on device: FleetDevice) async throws -> Bool {
        let account = people[device.person].id
        return try await device.store.share(of: lists[list].id)?.participants.contains {
            $0.account == account && $0.permission == .readOnly
        } == true
    }

    private func sync(_ device: FleetDevice) async throws {
        let triggers: [Trigger] = [.manual, .manual, .launch, .push, .timer, .ownChange, .network]
        if random.chance(20) { device.fuse.light(after: random.below(25), commitsFirst: random.chance(50)) }
        _ = try await device.sync(random.pick(triggers) ?? .manual, over: network, random: random.next())
        device.fuse.light(after: nil)
    }

    private func shop(on device: FleetDevice) async throws {
        guard let list = random.pick(lists)?.id, try await device.has(list) else { return }
        if random.chance(50) {
            try await device.store.setShopping(random.chance(50), in: [list])
        } else {
            try await device.store.apply(in: list, shopping: false)
        }
    }

    // MARK: Sharing

    private func invite() async throws {
        let number = random.below(lists.count)
        let list = lists[number]
        guard let guest = random.pick(devices), !list.members.contains(guest.person), guest.session != nil,
            let owner = session(of: list.owner)
        else { return }
        let permission: Permission = random.chance(25) ? .readOnly : .readWrite
        let wanted = InvitationRequest(
            email: random.chance(50) ? people[guest.person].email : nil, permission: permission)
        let invited = try await calm(.post, Path.invitations(list.id), wanted, token: owner)
        // The list may not have reached the service yet, or its owner's session may have been ended.
        guard invited.status == 201, let token = guest.session?.token else { return }
        let secret: InvitationResponse = try invited.decoded()
        let answer = try await calm(.post, Path.accept, SecretRequest(secret: secret.secret), token: token)
        guard answer.status == 200 else { return }
        lists[number].members.insert(guest.person)
        if permission == .readOnly { lists[number].readers.insert(guest.person) }
        noteMembers()
        if random.chance(70) { try await guest.store.join(list.id) }
    }

    private func leave() async throws {
        let number = random.below(lists.count)
        guard let device = random.pick(devices), let token = device.session?.token,
            device.person != lists[number].owner,
            lists[number].members.contains(device.person)
        else { return }
        guard try await calm(.delete, Path.list(lists[number].id), token: token).status == 204 else { return }
        lists[number].members.remove(device.person)
        lists[number].readers.remove(device.person)
        noteMembers()
        if random.chance(50) {
            try await device.store.remove(lists[number].id, deleting: false, at: device.clock.now.wall)
        }
    }

    private func remove() async throws {
        let number = random.below(lists.count)
        let list = lists[number]
        guard let owner = session(of: list.owner), let other = random.pick(list.members.sorted()), other != list.owner
        else { return }
        let path = Path.participant(people[other].id, of: list.id)
        guard try await calm(.delete, path, token: owner).status == 204 else { return }
        lists[number].members.remove(other)
        lists[number].readers.remove(other)
        noteMembers()
    }

    private func stopSharing() async throws {
        let number = random.below(lists.count)
        guard let owner = session(of: lists[number].owner) else { return }
        guard try await calm(.delete, Path.share(lists[number].id), token: owner).status == 204 else { return }
        lists[number].members = [lists[number].owner]
        lists[number].readers = []
        noteMembers()
    }

    private func noteMembers() {
        var members: [String: Set<AccountID>] = [:]
        for (number, list) in lists.enumerated() { members[mark(number)] = Set(list.members.map { people[$0].id }) }
        network.state.withLock { $0.members = members }
    }

    // MARK: Sessions

    private func signIn(_ device: FleetDevice) async throws {
        try await network.signIn(device, as: people[device.person])
    }

    /// Somebody signs out, or their device is thrown out from another one.
    private func endSession(of device: FleetDevice) async throws {
        guard let session = device.session else { return try await signIn(device) }
        if random.chance(50) {
            let other = devices.first { $0.person == device.person && $0.number != device.number && $0.session != nil }
            guard let token = other?.session?.token else { return }
            // The device does not know yet that its session has ended.
            _ = try await calm(.delete, Path.device(session.device), token: token)
        } else {
            _ = try await calm(.delete, Path.session, token: session.token)
            try await device.store.signOut()
            device.session = nil
            device.hasForgotten = true
            if random.chance(60) { try await signIn(device) }
        }
    }

    private func session(of person: Int) -> String? {
        devices.first { $0.person == person && $0.session != nil }?.session?.token
    }

    // MARK: The service

    private func compress() async throws {
        let number = random.below(lists.count)
        // Later than all entries, also those of this millisecond.
        let cutOff = try await network.current.store.now().advanced(byMilliseconds: 1000)
        let compressed = try await network.current.store.compress(lists[number].id, olderThan: cutOff)
        if compressed.map({ $0.discarded > 0 }) == true { lists[number].wasCompressed = true }
    }

    private func beginEpoch() async throws {
        try await network.current.beginEpoch()
        network.state.withLock { $0.generation += 1 }
    }

    private func lowerLimits() async throws {
        let entries = [1, 2, 3, 7, 20, 400][random.below(6)]
        let page = [1, 3, 10, 1000][random.below(4)]
        network.current = try await database.service.with {
            $0.limits = Limits(entriesPerRequest: entries, changesPerPage: page, defaultChangesPerPage: page)
        }
    }

    private func save() async throws {
        backup = Backup(lists: lists, name: try await database.save())
        network.current = database.service
    }

    /// Restores a copy of the database. Later entries are lost until devices offer them again.
    private func restore() async throws {
        guard let backup else { return }
        self.backup = nil
        for number in lists.indices { lost.formUnion(try await activity(of: number).map(\.entry.id)) }
        network.state.withLock { $0.accepted = [:] }
        try await database.restore(backup.name)
        network.current = database.service
        for number in backup.lists.indices {
            let wasCompressed = lists[number].wasCompressed
            lists[number] = backup.lists[number]
            lists[number].wasCompressed = wasCompressed
        }
        noteMembers()
        try await beginEpoch()
    }

    /// All entries that a list ever had, as its owner reads them.
    func activity(of list: Int) async throws -> [ConfirmedEntry] {
        let token = try await network.session(of: people[lists[list].owner]).token
        var entries: [ConfirmedEntry] = []
        var before: String?
        repeat {
            let query = before.map { "?limit=1000&before=\($0)" } ?? "?limit=1000"
            let answer = try await calm(.get, Path.activity(lists[list].id) + query, token: token)
            guard answer.status == 200 else { return entries }
            let page = try ActivityPage(json: answer.body)
            for case .entry(let entry) in page.activity.lazy.map(\.event) { entries.append(entry) }
            before = page.next
        } while before != nil
        _ = try await calm(.delete, Path.session, token: token)
        return entries
    }

    func finish() async throws {
        if let backup { try await database.forget(backup.name) }
    }

    // MARK: Afterwards

    /// The network works again, everybody is signed in, and all devices sync until nothing remains to do.
    func heal() async throws {
        network.state.withLock { $0.badness = 0 }
        await network.deliver()
        network.current = database.service
        for device in devices {
            device.clock.pass(3_600_000)
            if let session = device.session {
                let answer = try await calm(.get, Path.account, token: session.token)
                if answer.status == 401 { try await signIn(device) }
            } else {
                try await signIn(device)
            }
        }
        for round in 0..<5 {
            for device in devices {
                device.clock.pass(3_600_001)
                let report = try await device.sync(.manual, over: network, random: 0)
                if round == 4, let failure = report?.failure {
                    network.violate("I5: a run fails at the end: \(failure)")
                }
            }
        }
        for device in devices {
            for list in try await device.store.deviceStatus().lists {
                try await device.store.setShopping(false, in: [list.id])
            }
        }
    }

    func calm(
        _ method: FleetMethod, _ path: String, _ body: (any Encodable)? = nil, token: String? = nil
    ) async throws -> FleetAnswer {
        try await network.calm(method, path, body, token: token)
    }

    /// An id that follows from the seed.
    private func identifier<ID: Identifier>() -> ID {
        .version7(at: Timestamp(milliseconds: 1_000_000_000_000), random: (random.next(), random.next()))
    }
}
