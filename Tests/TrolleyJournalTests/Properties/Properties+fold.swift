import TrolleyJournal

extension Property {
    static let foldIsWhatTheDesignSays = Property(name: "the fold is as docs/journal.md describes it") { journal in
        unequal(ListState(folding: journal.entries), PlainFold(journal.entries).state, "fold")
    }

    static let orderOfInputDoesNotMatter = Property(name: "confirmed entries fold alike in any order of input") {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        return unequal(
            ListState(folding: journal.entries.shuffled(using: &random)), ListState(folding: journal.entries), "fold")
    }

    static let duplicatesChangeNothing = Property(name: "duplicates change nothing") { journal in
        var random = SeededGenerator(seed: journal.seed)
        var entries = journal.entries
        for _ in 0..<3 {
            guard var entry = entries.randomElement(using: &random) else { break }
            // An entry may occur again at another place, for example when it returns from the Activity.
            let isLater = random.oneIn(2)
            if isLater { entry.sequence = SequenceNumber(rawValue: Int64(2 * journal.entries.count)) }
            entries.insert(entry, at: isLater ? entries.count : random.below(entries.count + 1))
        }
        let expected = ListState(folding: journal.entries)
        if let why = unequal(ListState(folding: entries), expected, "from scratch") { return why }
        var fold = ListFold()
        for entry in journal.entries + entries { fold.apply(entry) }
        return unequal(fold.state, expected, "one by one")
    }

    static let pagesFoldAlike = Property(name: "every split of a journal into pages folds alike") { journal in
        var random = SeededGenerator(seed: journal.seed)
        var fold = ListFold()
        for (index, entry) in journal.entries.enumerated() {
            fold.apply(entry)
            guard random.oneIn(3) else { continue }
            let expected = ListState(folding: journal.entries.prefix(index + 1))
            if let why = unequal(fold.state, expected, "after \(index + 1)") { return why }
        }
        return unequal(fold.state, ListState(folding: journal.entries), "at the end")
    }

    static let unconfirmedLieOnTop = Property(name: "unconfirmed entries fold as if confirmed last") { journal in
        let pending = journal.after.map { PendingEntry(entry: $0.entry, madeAt: $0.madeAt) }
        let expected = ListState(folding: journal.entries)
        if let why = unequal(ListState(folding: journal.before, pending: pending), expected, "from scratch") {
            return why
        }
        var fold = ListFold()
        for entry in pending { fold.append(entry) }
        for entry in journal.before { fold.apply(entry) }
        if let why = unequal(fold.state, expected, "one by one") { return why }
        return unequal(fold.confirmedState, ListState(folding: journal.before), "what is confirmed")
    }

    /// Each device shows its own entries at once, and the others' when they are confirmed, in a random order.
    static let interleavingsEndEqual = Property(name: "every interleaving of devices' unconfirmed entries ends equal") {
        journal in
        var random = SeededGenerator(seed: journal.seed)
        let devices = Set(journal.entries.map(\.device)).sorted()
        var folds = devices.map { _ in ListFold(folding: journal.before) }
        var queues = devices.map { device in journal.after.filter { $0.device == device } }
        for index in queues.indices {
            for entry in queues[index] {
                folds[index].append(PendingEntry(entry: entry.entry, madeAt: entry.madeAt))
            }
        }
        var all = journal.before
        while let index = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) {
            var entry = queues[index].removeFirst()
            entry.sequence = (all.last?.sequence ?? .start).advanced(by: 1)
            all.append(entry)
            for index in folds.indices { folds[index].apply(entry) }
        }
        let expected = ListState(folding: all)
        for fold in folds {
            if let why = unequal(fold.state, expected, "a device") { return why }
        }
        return nil
    }

    /// Compared with a plain list of the wanted texts.
    static let digestEqualIffStateIs = Property(name: "digests are equal exactly if the wanted state is") { journal in
        let states = [0, 1, 2].map { ListState(folding: journal.entries.dropLast($0)) } + [journal.splicedState]
        func listing(_ state: ListState) -> [[UInt8]?] {
            let head = [state.name, state.colour].map { $0.map { Array($0.utf8) } }
            return state.items.filter { !$0.markedOff }.reduce(into: head) { listing, item in
                listing.append(Array(item.id.description.utf8))
                for (key, value) in item.fields { listing += [Array(key.utf8), Array("\(value)".utf8)] }
                listing.append(nil)
            }
        }
        for left in states {
            for right in states where (left.digest == right.digest) != (listing(left) == listing(right)) {
                return "digests \(left.digest) and \(right.digest) of \(left) and \(right)"
            }
            for right in states where left == right && left.digest != right.digest {
                return "equal states, but not equal digests: \(left)"
            }
        }
        return nil
    }
}

extension JournalCase {
    /// The state with the border between a field's value and the next field's key moved. A digest without lengths would
    /// be the same.
    fileprivate var splicedState: ListState {
        var state = ListState(folding: entries)
        for index in state.items.indices {
            guard let text = state.items[index].fields[Fields.text]?.string, let next = state.items[index].fields["zz"]
            else { continue }
            state.items[index].fields[Fields.text] = .string(text + "z")
            state.items[index].fields["zz"] = nil
            state.items[index].fields["z"] = next
        }
        return state
    }
}
