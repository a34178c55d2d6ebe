public import TrolleyJournal
public import TrolleySync
import TrolleyWire

// Lists, and changes to them. Nothing here needs the network.

extension Device {
    /// Makes a list, and makes it the current one. The service has it after the next sync.
    /// - Parameters:
    ///   - name: what it is called; anybody on it can rename it.
    ///   - colour: any text that the apps understand.
    ///   - isLocal: keeps it on this device alone, until ``publish(_:)`` or an invitation.
    @discardableResult
    public func makeList(
        named name: String, colour: String? = nil, isLocal: Bool = false
    ) async throws(DeviceError) -> ListID {
        try Self.check(name)
        let list = identifier(ListID.self)
        try await stored { () async throws(QueueStoreError) in try await store.addList(list) }
        if isLocal {
            try await stored { () async throws(QueueStoreError) in try await store.setLocal(list) }
        }
        try await perform([.rename(name)] + (colour.map { [.recolour($0)] } ?? []), on: list)
        try await setCurrentList(list)
        return list
    }

    /// Lets a list that was on this device alone go to the service with the next sync. Safe to repeat.
    /// - Returns: the list's id from now on: another one, when the list was somebody else's and the service no longer knows
    ///   the person to be on it. Then it goes as a list of their own.
    @discardableResult
    public func publish(_ list: ListID) async throws(DeviceError) -> ListID {
        try await makeOwn(list, publishing: true)
    }

    func makeOwn(_ list: ListID, publishing: Bool) async throws(DeviceError) -> ListID {
        let now = clock().wall
        return try await stored { () async throws(QueueStoreError) in
            try await store.makeOwn(list, publishing: publishing, at: now)
        }
    }

    /// What a list shows.
    public func state(of list: ListID) async throws(DeviceError) -> ListState {
        try await stored { () async throws(QueueStoreError) in try await store.state(of: list) }
    }

    /// Makes changes to a list, as one gesture: written to the list and to its upload queue, all or none.
    /// - Returns: the entries, in the order of `edits`.
    @discardableResult
    public func perform(_ edits: [ListEdit], on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        if try await isReadOnly(list) { throw .readOnly }
        var bottom: ItemID?
        if edits.contains(where: \.needsBottom) { bottom = try await state(of: list).items.last?.id }
        let batch = identifier(BatchID.self)
        var entries: [JournalEntry] = []
        entries.reserveCapacity(edits.count)
        for edit in edits {
            let entry = edit.entry(id: identifier(), batch: batch, bottom: bottom)
            if let excess = entry.fields.tooMuch ?? edit.emptiness { throw .unusableText(excess) }
            if case .add(let item, _, let place) = edit, place.isBottom(below: bottom) {
                bottom = item
            }
            entries.append(entry)
        }
        let made = clock()
        let numbered = try await stored { [entries] () async throws(QueueStoreError) in
            try await store.append(entries, to: list, made: made)
        }
        try await noteQueued()
        return numbered
    }

    /// Whether the person may look at a list and not change it.
    public func isReadOnly(_ list: ListID) async throws(DeviceError) -> Bool {
        guard let account = try await session()?.account else { return false }
        let share = try await stored { () async throws(QueueStoreError) in try await store.share(of: list) }
        return share?.participants.contains { $0.account == account && $0.permission == .readOnly } == true
    }

    /// An id for something new, such as an item.
    public func identifier<ID: Identifier>(_ type: ID.Type = ID.self) -> ID {
        .version7(at: clock().wall, random: (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)))
    }

    /// The list that is meant when none is named.
    public func currentList() async throws(DeviceError) -> ListID? {
        try await stored { () async throws(QueueStoreError) in try await store.currentList() }
    }

    public func setCurrentList(_ list: ListID) async throws(DeviceError) {
        try await stored { () async throws(QueueStoreError) in try await store.setCurrentList(list) }
    }

    /// All lists of whoever is signed in, in the order they came to the device.
    public func lists() async throws(DeviceError) -> [ListSummary] {
        try await stored { () async throws(QueueStoreError) in try await store.summaries() }
    }

    /// One list at a glance.
    public func summary(of list: ListID) async throws(DeviceError) -> ListSummary {
        let summaries = try await stored { () async throws(QueueStoreError) in try await store.summaries(of: list) }
        guard let summary = summaries.first else { throw .store(.noSuchList(list)) }
        return summary
    }

    /// Both queues of each list, what was refused, and which lists left.
    public func queues() async throws(DeviceError) -> DeviceQueues {
        try await stored { () async throws(QueueStoreError) in try await store.queues() }
    }

    /// Whether what others add waits until the person wants it: nothing jumps under the finger. Ending it applies all.
    public func setShopping(_ isShopping: Bool, in list: ListID) async throws(DeviceError) {
        try await stored { () async throws(QueueStoreError) in try await store.setShopping(isShopping, in: list) }
    }

    /// What was received on a list and isn't shown yet, in order.
    public func toApply(in list: ListID) async throws(DeviceError) -> [ConfirmedEntry] {
        try await stored { () async throws(QueueStoreError) in try await store.toApply(in: list) }
    }

    /// Shows all that was received on a list.
    public func apply(in list: ListID) async throws(DeviceError) {
        try await stored { () async throws(QueueStoreError) in try await store.apply(in: list, shopping: false) }
    }

    /// Which lists have left the device without the person's doing, and why; until they are dismissed.
    public func notices() async throws(DeviceError) -> [Notice] {
        try await stored { () async throws(QueueStoreError) in try await store.read { try $0.notices() } }
    }

    /// What was taken out of sight.
    public struct Dismissed: Hashable, Sendable {
        public var rejected: [RejectedEntry]
        public var notices: [Notice]
    }

    /// Takes refused entries and notices out of sight for good.
    /// - Returns: what that is: nothing goes that nobody has been told of.
    @discardableResult
    public func dismiss() async throws(DeviceError) -> Dismissed {
        try await stored { () async throws(QueueStoreError) in try await store.dismiss() }
    }

    /// The text must be something that a list can hold.
    static func check(_ text: String) throws(DeviceError) {
        if text.unicodeScalars.contains("\0") { throw .unusableText("it has a NUL character in it") }
    }
}

extension ListEdit.Place {
    /// Whether what goes there is the list's last item then.
    fileprivate func isBottom(below last: ItemID?) -> Bool {
        switch self {
        case .bottom: true
        case .top: last == nil
        case .after(let item): last == item
        }
    }
}

extension ListEdit {
    /// What is missing for an item that a person can see; nil when nothing is.
    fileprivate var emptiness: String? {
        switch self {
        case .add(_, let fields, _), .edit(_, let fields):
            fields[Fields.text]?.string?.allSatisfy(\.isWhitespace) == true ? "an item can't be without a text" : nil
        default: nil
        }
    }

    fileprivate var needsBottom: Bool {
        switch self {
        case .add(_, _, .bottom), .move(_, .bottom): true
        default: false
        }
    }
}

extension Fields {
    /// What is too much about the fields for a service with the usual limits; nil when nothing is.
    var tooMuch: String? {
        for (key, value) in self where key.utf8.contains(0) || value.string?.utf8.contains(0) == true {
            return "it has a NUL character in it"
        }
        return excess(over: Limits())
    }
}
