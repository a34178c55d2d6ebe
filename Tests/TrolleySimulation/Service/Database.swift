import TrolleyJournal
import TrolleyWire

/// What the service stores. A value, so that a backup is a copy.
struct Database: Sendable {
    var epoch = 1
    var lists: [ListID: StoredList] = [:]
    /// Lists that people are no longer on, and why.
    var gone: [AccountID: [ListID: ListGoneReason]] = [:]

    func list(_ id: ListID, for caller: Caller) throws(Problem) -> StoredList {
        if let list = lists[id], list.members[caller.account] != nil { return list }
        guard let reason = gone[caller.account]?[id] else { throw Problem(.listNotFound) }
        throw Problem(.listDeleted, reason: reason)
    }
}

/// A list of the service: its Activity, the entries that compression has left, and its stream's other changes.
struct StoredList: Sendable {
    let id: ListID
    let owner: AccountID
    let createdAt: Timestamp
    var members: [AccountID: Permission]
    var head = SequenceNumber.start
    /// Every entry as it was sent, with its first sequence.
    var activity: [ConfirmedEntry] = []
    /// The places of entries in ``activity``.
    var taken: [EntryID: Int] = [:]
    /// The entries that compression has left, as devices receive them.
    var live: [EntryID: ConfirmedEntry] = [:]
    /// Discards and states of the share.
    var events: [Change] = []
    /// Discards up to here are no longer there.
    var trailFrom = SequenceNumber.start

    init(_ id: ListID, owner: AccountID, at now: Timestamp) {
        self.id = id
        self.owner = owner
        createdAt = now
        members = [owner: .readWrite]
    }

    var inOrder: [ConfirmedEntry] { live.values.sorted { $0.sequence < $1.sequence } }

    var share: ShareState {
        ShareState(
            participants: members.sorted { $0.key < $1.key }.map { account, permission in
                Participant(
                    account: account, name: "\(account)", role: account == owner ? .owner : .participant,
                    permission: permission, status: .accepted)
            })
    }

    /// The stream after a sequence: live entries, discards and shares.
    func changes(after sequence: SequenceNumber) -> [Change] {
        let entries = live.values.filter { $0.sequence > sequence }.map {
            Change(sequence: $0.sequence, body: .entry($0.withReceipt(in: id)))
        }
        return (entries + events.filter { $0.sequence > sequence }).sorted { $0.sequence < $1.sequence }
    }

    mutating func append(_ body: Change.Body) {
        head = head.advanced(by: 1)
        events.append(Change(sequence: head, body: body))
    }
}

extension ConfirmedEntry {
    /// The service's receipt. A simple hash takes the place of SHA-256: nobody here forges one.
    func withReceipt(in list: ListID) -> ConfirmedEntry {
        var entry = self
        entry.receipt = .simulated(of: self.entry, by: author, on: device, at: madeAt, in: list)
        return entry
    }
}

extension EntryReceipt {
    static func simulated(
        of entry: JournalEntry, by author: AccountID, on device: DeviceID, at madeAt: Timestamp, in list: ListID
    ) -> EntryReceipt? {
        var hash = Fingerprint()
        for bits in [list.bits, entry.id.bits, author.bits, device.bits] { hash.add(bits) }
        hash.add(UInt64(bitPattern: entry.deviceSequence))
        hash.add(UInt64(bitPattern: madeAt.milliseconds))
        let letters = (0..<8).map { UInt8(ascii: "a") + UInt8(truncatingIfNeeded: hash.value >> UInt64(8 * $0) & 15) }
        return EntryReceipt(String(decoding: letters, as: UTF8.self))
    }
}

/// FNV-1a over words: the same in every process, which Swift's hashes aren't.
package struct Fingerprint: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01b3
        value ^= value >> 29
    }

    mutating func add(_ bits: UUIDBits) {
        add(bits.high)
        add(bits.low)
    }

    package mutating func add(_ text: String) { for byte in text.utf8 { add(UInt64(byte)) } }
}
