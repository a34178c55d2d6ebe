import TrolleyJournal

extension Property {
    static let compressionShowsTheSame = Property(name: "after compression the list shows what it showed") { journal in
        let compression = Compression(of: journal.entries, olderThan: journal.cutOff)
        let plain = PlainFold(journal.entries)
        var expected = plain.state
        expected.items.removeAll { item in
            plain.isFinished(item.id) && plain.entries(of: item.id).allSatisfy { $0.receivedAt < journal.cutOff }
        }
        let compressed = compression.applied(to: journal.entries)
        let state = ListState(folding: compressed)
        if let why = unequal(state, expected, "fold") { return why }
        let talk = PlainConversation(journal.entries).messages
        if let why = unequal(Conversation(folding: compressed).messages(), talk, "messages") { return why }
        if let why = unequal(state.digest, plain.state.digest, "digest") { return why }

        var fold = ListFold(folding: journal.entries)
        fold.discard(compression.discarded.map(\.id))
        if let why = unequal(fold.conversation.messages(), talk, "incremental messages") { return why }
        return unequal(fold.state, expected, "incremental fold")
    }

    static let compressingTwiceIsOnce = Property(name: "compressing twice is compressing once") { journal in
        let once = Compression(of: journal.entries, olderThan: journal.cutOff).applied(to: journal.entries)
        let twice = Compression(of: once, olderThan: journal.cutOff)
        return twice.isEmpty ? nil : "the second time: \(twice)"
    }

    static let compressingInStepsIsAtOnce = Property(
        name: "compressing in steps discards what compressing at once does"
    ) {
        journal in
        let earlier = journal.cutOff.advanced(byMilliseconds: -3)
        let first = Compression(of: journal.entries, olderThan: earlier)
        let second = Compression(of: first.applied(to: journal.entries), olderThan: journal.cutOff)
        let atOnce = Compression(of: journal.entries, olderThan: journal.cutOff)
        return unequal(
            Set((first.discarded + second.discarded).map(\.id)), Set(atOnce.discarded.map(\.id)), "discarded")
    }

    static let recentEntriesStay = Property(name: "compression leaves recent entries, and only entries that win") {
        journal in
        let compression = Compression(of: journal.entries, olderThan: journal.cutOff)
        let gone = Set(compression.discarded.map(\.id))
        let expected = journal.entries.filter { !PlainCompression(journal).keeps($0) }.map(\.entry.id)
        if let why = unequal(gone, Set(expected), "discarded") { return why }
        let moved = compression.anchors.map(\.id)
        return moved.contains(where: gone.contains) ? "a new anchor for an entry that goes" : nil
    }

    /// As on the service: entries that are appended to the compressed journal are resolved against the Activity.
    static let compressionAndAppendingCommute = Property(name: "compress then append is append then compress") {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        var service = Service(journal.before)
        service.compress(olderThan: journal.cutOff)
        for entry in journal.after {
            service.append(entry)
            if random.oneIn(3) { service.compress(olderThan: entry.receivedAt) }
        }
        let whole = ListState(folding: journal.entries)
        let state = ListState(folding: service.live)
        if let why = unequal(state.digest, whole.digest, "digest of \(state) and \(whole)") { return why }
        if let why = unequal(service.device.state, state, "a device's fold") { return why }

        let talk = PlainConversation(journal.entries).said
        if let why = unequal(service.device.conversation.messages().said, talk, "a device's messages") { return why }
        if let why = unequal(Conversation(folding: service.live).messages().said, talk, "messages") { return why }

        // This also covers the order of the shown items and a second compression.
        let shown = Set(state.items.map(\.id))
        if let why = unequal(state.items, whole.items.filter { shown.contains($0.id) }, "what both show") { return why }
        service.compress(olderThan: Timestamp(milliseconds: .max))
        return unequal(
            ListState(folding: service.live).digest, whole.digest, "digest after compressing everything")
    }
}

extension Property {
    /// The service's way of compressing a long list: see `Compression.steps`.
    static let stepsShowTheSame = Property(name: "after each step of a compression the list shows the same") {
        journal in
        let digest = ListState(folding: journal.entries).digest
        let talk = PlainConversation(journal.entries).messages
        let compression = Compression(of: journal.entries, olderThan: journal.cutOff)
        var live = journal.entries
        for step in compression.steps(of: 1 + Int(journal.seed % 3), in: journal.entries) {
            live = step.applied(to: live)
            if let why = unequal(ListState(folding: live).digest, digest, "digest after \(step)") { return why }
            if let why = unequal(Conversation(folding: live).messages(), talk, "messages after \(step)") { return why }
        }
        return unequal(live, compression.applied(to: journal.entries), "journal after the last step")
    }

    /// A compression is computed from a snapshot, and applied after others have appended.
    static let plansHold = Property(name: "a compression may be applied later while nothing it finishes is named") {
        journal in
        var service = Service(journal.before)
        service.compress(olderThan: journal.cutOff.advanced(byMilliseconds: -3))
        let snapshot = service.live
        let plan = Compression(of: snapshot, olderThan: journal.cutOff)
        let finished = plan.finishedItems(in: snapshot)
        var wasLifted = false
        for entry in journal.after { if service.append(entry) { wasLifted = true } }
        let last = snapshot.last?.sequence ?? .start
        let appended = service.live.filter { $0.sequence > last }.map { (item: $0.entry.item, after: $0.entry.after) }
        guard !wasLifted, Compression.isStillValid(appended, finished: finished) else { return nil }

        let whole = ListState(folding: journal.entries).digest
        for step in plan.steps(of: 2, in: snapshot) {
            service.apply(step)
            if let why = unequal(ListState(folding: service.live).digest, whole, "digest after \(step)") { return why }
        }
        service.compress(olderThan: Timestamp(milliseconds: .max))
        return unequal(ListState(folding: service.live).digest, whole, "digest after compressing everything")
    }
}

extension Property {
    /// As for a long list: between the steps of a compression others append, also about items that will be discarded.
    static let stepsAndAppendingCommute = Property(name: "appending between the steps of a compression commutes") {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        var service = Service(journal.before)
        var waiting = journal.after[...]
        var whole = journal.before
        func checked(_ what: String) -> String? {
            let expected = ListState(folding: whole).digest
            return unequal(ListState(folding: service.live).digest, expected, "digest after \(what)")
                ?? unequal(service.device.state.digest, expected, "a device's digest after \(what)")
        }
        for _ in 0..<3 {
            let snapshot = service.live
            let plan = Compression(of: snapshot, olderThan: journal.cutOff)
            let finished = plan.finishedItems(in: snapshot)
            for step in plan.steps(of: 1 + random.below(3), in: snapshot) {
                guard service.holds(since: snapshot.last?.sequence, finished: finished) else { break }
                service.apply(step)
                if let why = checked("\(step)") { return why }
                while random.oneIn(2), let entry = waiting.popFirst() {
                    whole.append(entry)
                    service.append(entry)
                    if let why = checked("\(entry)") { return why }
                }
            }
        }
        service.compress(olderThan: Timestamp(milliseconds: .max))
        return checked("compressing everything")
    }

    /// The resolver needs only the places of live items and of named items.
    static let resolvingKnownEntriesIsTheSame = Property(name: "knowing what is to be resolved changes no resolution") {
        journal in
        let live = Compression(of: journal.before, olderThan: journal.cutOff).applied(to: journal.before)
        var resolver = AppendResolver(activity: journal.before, live: live)
        var prepared = AppendResolver(
            activity: journal.before, live: live, resolving: journal.after.map(\.entry))
        for entry in journal.after {
            if let why = unequal(prepared.resolve(entry), resolver.resolve(entry), "\(entry)") { return why }
        }
        return nil
    }
}

/// A service's state of a list, and a device that follows it.
private struct Service {
    private(set) var activity: [ConfirmedEntry]
    private(set) var live: [ConfirmedEntry]
    private(set) var device: ListFold
    private var resolver: AppendResolver
    private var lifts: [SequenceNumber] = []

    init(_ entries: [ConfirmedEntry]) {
        activity = entries
        live = entries
        device = ListFold(folding: entries)
        resolver = AppendResolver(activity: entries, live: entries)
    }

    /// - Returns: whether live entries got other places because of it.
    @discardableResult
    mutating func append(_ entry: ConfirmedEntry) -> Bool {
        activity.append(entry)
        let resolution = resolver.resolve(entry)
        live.removeAll { resolution.relocated.contains($0.entry.id) }
        device.discard(resolution.relocated)
        if !resolution.relocated.isEmpty { lifts.append(device.through.advanced(by: 1)) }
        for var entry in resolution.restored + [resolution.entry] {
            entry.sequence = max(live.last?.sequence ?? .start, device.through, entry.sequence).advanced(by: 1)
            live.append(entry)
            device.apply(entry)
        }
        return !resolution.relocated.isEmpty
    }

    /// Whether a compression of the entries up to `last` may still be applied.
    func holds(since last: SequenceNumber?, finished: Set<ItemID>) -> Bool {
        let last = last ?? .start
        let appended = live.filter { $0.sequence > last }.map { (item: $0.entry.item, after: $0.entry.after) }
        return !lifts.contains { $0 > last } && Compression.isStillValid(appended, finished: finished)
    }

    mutating func compress(olderThan cutOff: Timestamp) {
        apply(Compression(of: live, olderThan: cutOff))
    }

    mutating func apply(_ compression: Compression) {
        live = compression.applied(to: live)
        device.discard(compression.discarded.map(\.id))
        resolver = AppendResolver(activity: activity, live: live)
    }
}

/// The entries that compression keeps, exactly as docs/journal.md ('Compression') describes it.
private struct PlainCompression {
    let journal: JournalCase
    let plain: PlainFold

    init(_ journal: JournalCase) {
        self.journal = journal
        plain = PlainFold(journal.entries)
    }

    func keeps(_ entry: ConfirmedEntry) -> Bool {
        if entry.receivedAt >= journal.cutOff { return true }
        if case .unknown = entry.entry.operation { return true }
        if entry.entry.operation.concernsMessages {
            return PlainConversation(journal.entries).keeps(entry, olderThan: journal.cutOff)
        }
        guard entry.entry.operation.concernsItem else {
            return wins(entry, against: names(like: entry))
                || entry.entry.fields.contains { key, _ in
                    (key == "aisles" || key == "renamedAisles" || PlainFold.isShop(key))
                        && wins(entry, against: plain.entries(setting: key))
                }
        }
        guard let item = entry.entry.item else { return false }
        let others = plain.entries(of: item)
        if plain.isFinished(item) && others.allSatisfy({ $0.receivedAt < journal.cutOff }) { return false }
        func isLatest(_ operations: Operation...) -> Bool {
            operations.contains(entry.entry.operation)
                && wins(entry, against: others.filter { operations.contains($0.entry.operation) })
        }
        let placings = others.filter { $0.entry.operation.places }.drop { $0.entry.operation == .move }
        let moves = placings.dropFirst().filter { $0.entry.after != item }
        return isLatest(.markOff, .add, .unmark) || isLatest(.delete, .add, .edit, .unmark)
            || placings.first == entry
            || (placings.prefix(1) + moves).max(by: PlainFold.loses) == entry
            || writes(entry)
                && entry.entry.fields.contains { key, _ in
                    wins(entry, against: others.filter { writes($0) && $0.entry.fields[key] != nil })
                }
    }

    private func writes(_ entry: ConfirmedEntry) -> Bool {
        entry.entry.operation == .add || entry.entry.operation == .edit
    }

    private func names(like entry: ConfirmedEntry) -> [ConfirmedEntry] {
        let alias = entry.entry.operation == .renameList ? "name" : "colour"
        return journal.entries.filter {
            guard $0.entry.operation == entry.entry.operation else { return false }
            switch $0.entry.fields[Fields.text] ?? $0.entry.fields[alias] {
            case .json?, nil: return false
            default: return true
            }
        }
    }

    private func wins(_ entry: ConfirmedEntry, against rivals: [ConfirmedEntry]) -> Bool {
        rivals.contains(entry) && rivals.allSatisfy { ($0.madeAt, $0.sequence) <= (entry.madeAt, entry.sequence) }
    }
}
