#if SeededFaults
    import Testing

    @testable import TrolleyJournal

    /// Journals and lists that one person can make expensive for all others of the list, on every device and in the service.
    /// docs/benchmarks/journal.md ('Crafted journals') has their figures in time.
    @Suite("Journals that were crafted to be expensive, beside compression", .timeLimit(.minutes(20)))
    struct CraftedFoldTests {
        /// Ten times as much of something takes at most twenty times as many steps: n log n passes, and n² has a hundred.
        private func expectGrowth(
            _ what: String, from count: Int = 300, _ work: (Int) -> (() -> Void)
        ) {
            let (short, long) = (work(count), work(10 * count))
            let steps = (short: WorkCounter.steps(in: short), long: WorkCounter.steps(in: long))
            print("\(what): \(steps.short) and \(steps.long) steps of work")
            #expect(steps.short >= count / 2, "\(what): the work isn't counted")
            #expect(steps.long <= 20 * steps.short, "\(what): \(steps)")
        }

        private func about(_ message: Int, _ operation: TrolleyJournal.Operation, _ number: Int, _ text: String? = nil)
            -> ConfirmedEntry
        {
            var fields: Fields = [Fields.message: .string(EntryID.sample(message).description)]
            if let text { fields[Fields.text] = .string(text) }
            return .sample(number, operation, nil, fields)
        }

        private func said(_ number: Int) -> ConfirmedEntry { .sample(number, .message, nil, [Fields.text: "hello"]) }

        /// Items whose text is their number, each below the one before.
        private func items(_ count: Int) -> [ConfirmedEntry] {
            (1...count).map {
                .sample($0, .add, $0, after: $0 == 1 ? nil : $0 - 1, [Fields.text: .string("\($0)")])
            }
        }

        @Test("one person's reactions to one message: folding, showing and compressing them")
        func reactions() {
            func journal(_ count: Int) -> [ConfirmedEntry] {
                [said(1)] + (2...count).map { about(1, .react, $0, "\($0)") }
            }
            expectGrowth("folding and showing reactions") { count in
                let entries = journal(count)
                return {
                    let shown = Conversation(folding: entries).messages(for: .sample(1))
                    #expect(shown.map(\.reactions.count) == [FoldedReactions.maxShownOfOnePerson])
                }
            }
            expectGrowth("compressing reactions") { count in
                let entries = journal(count)
                return { #expect(Compression(of: entries, olderThan: .seconds(.max / 2000)).isEmpty) }
            }
        }

        @Test("early reactions and pins, and messages that go one by one")
        func messages() {
            expectGrowth("what comes before its message") { count in
                let entries = (2...count).map { about(1, $0.isMultiple(of: 2) ? .pin : .react, $0, "\($0)") }
                var last = said(1)
                last.sequence = SequenceNumber(rawValue: Int64(count + 1))
                return { #expect(Conversation(folding: entries + [last]).pinned().count == 1) }
            }
            expectGrowth("messages that are discarded one by one") { count in
                var conversation = Conversation(folding: (1...count).map { said($0) })
                return {
                    for number in 1..<count { conversation.discard([.sample(number)]) }
                    #expect(conversation.count == 1 && conversation.messages().map(\.id) == [.sample(count)])
                }
            }
        }

        @Test("one item with many fields: folding, compressing and restoring it")
        func fields() {
            func journal(_ count: Int) -> [ConfirmedEntry] {
                [.sample(1, .add, 1, [Fields.text: "milk"])]
                    + (2...count / 10).map { number in
                        var fields = Fields()
                        // Descending, so that each key goes before all others.
                        for key in 0..<10 { fields["key \(10_000_000 - 10 * number - key)"] = .string("\(number)") }
                        return .sample(number, .edit, 1, fields)
                    }
            }
            expectGrowth("folding and showing fields", from: 1000) { count in
                let entries = journal(count)
                return { #expect(ListState(folding: entries).items[0].fields.count == count - 9) }
            }
            expectGrowth("compressing fields", from: 1000) { count in
                let entries = journal(count)
                return { #expect(Compression(of: entries, olderThan: .seconds(.max / 2000)).isEmpty) }
            }
            expectGrowth("restoring fields", from: 1000) { count in
                let entries = journal(count)
                var timeline = Timeline(entries)
                return { #expect(timeline.restoration(through: .init(rawValue: 1)).drafts.count == 1) }
            }
            expectGrowth("a purchase with many fields", from: 1000) { count in
                let entries = journal(count) + [.sample(count, .markOff, 1)]
                return { #expect(PurchaseHistory(entries).purchases.count == 1) }
            }
        }

        @Test("restoring a list that was turned round, and animating it")
        func order() {
            func turned(_ count: Int) -> [ConfirmedEntry] {
                items(count) + (1...count).map { .sample(count + $0, .move, $0) }
            }
            expectGrowth("restoring an order") { count in
                var timeline = Timeline(turned(count))
                return {
                    let plan = timeline.restoration(through: SequenceNumber(rawValue: Int64(count)))
                    #expect(plan.drafts.count == count - 1)
                }
            }
            expectGrowth("the steps to another order") { count in
                let rows = ListFold(folding: items(count)).rows(striking: [])
                let after = Array(rows.reversed())
                return { #expect(rows.changes(to: after).count == count - 1) }
            }
        }

        @Test("undoing gestures from the first to the last")
        func undo() {
            expectGrowth("undo and redo") { count in
                var log = UndoLog(of: .sample(1), replaying: items(count))
                var list = ListFold(folding: items(count))
                for number in 1...count {
                    let undone = JournalEntry(
                        id: .sample(count + number), operation: .delete, item: .sample(number), cause: .undo,
                        reverts: .sample(number), deviceSequence: Int64(count + number))
                    log.record(undone, over: list)
                    list.append(PendingEntry(entry: undone, madeAt: .seconds(3 * count)))
                }
                return {
                    #expect(log.planUndo(over: list).isEmpty)
                    #expect(log.planRedo(over: list).map(\.item) == [.sample(count)])
                }
            }
        }

        @Test("a device's own entries that are confirmed, among others'")
        func confirmations() {
            expectGrowth("confirmations") { count in
                let entries = items(2 * count)
                var list = ListFold()
                list.setPending(
                    entries.suffix(count).map { PendingEntry(entry: $0.entry, madeAt: $0.madeAt) })
                return {
                    for entry in entries { list.apply(entry) }
                    #expect(list.pending.isEmpty && list.confirmedState.items.count == 2 * count)
                }
            }
        }
    }
#endif
