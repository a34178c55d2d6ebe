#if SeededFaults
    import Testing

    @testable import TrolleyJournal

    /// As ``CraftedFoldTests``: what is computed from a list, its history or its people.
    @Suite("Lists that were crafted to be expensive", .timeLimit(.minutes(20)))
    struct CraftedListTests {
        private func expectGrowth(
            _ what: String, from count: Int = 300, _ work: (Int) -> (() -> Void)
        ) {
            let (short, long) = (work(count), work(10 * count))
            let steps = (short: WorkCounter.steps(in: short), long: WorkCounter.steps(in: long))
            print("\(what): \(steps.short) and \(steps.long) steps of work")
            #expect(steps.short >= count / 2, "\(what): the work isn't counted")
            #expect(steps.long <= 20 * steps.short, "\(what): \(steps)")
        }

        private func state(_ count: Int, text: (Int) -> String, markedOff: Bool = false) -> ListState {
            ListState(
                items: (0..<count).map { number in
                    Item(
                        id: .sample(number), markedOff: markedOff,
                        fields: [Fields.text: .string(text(number)), Fields.quantity: .string("\(number)")])
                })
        }

        /// Each three items are bought by another person on a trip of their own, an hour after those before.
        private func trips(_ count: Int) -> [ConfirmedEntry] {
            (1...count).flatMap { number -> [ConfirmedEntry] in
                let time = (number - 1) / 3 * 3600 + number
                return [
                    .sample(2 * number, .add, number, [Fields.text: .string("\(number)")], madeAt: time),
                    .sample(2 * number + 1, .markOff, number, device: number, madeAt: time),
                ]
            }
        }

        @Test("many trips, and the order learned from them")
        func trips() {
            expectGrowth("trips") { count in
                let entries = trips(count)
                return {
                    let trips = PurchaseHistory(entries).trips
                    #expect(trips.count == count / 3 && trips.allSatisfy { $0.people.count == 3 })
                    #expect(LearnedOrder(of: trips, at: .seconds(.max / 2000)).places.count == count)
                }
            }
            expectGrowth("the people of one trip") { count in
                let entries = trips(count).map { entry in
                    var entry = entry
                    entry.madeAt = .seconds(entry.entry.id.number)
                    return entry
                }
                return { #expect(PurchaseHistory(entries).trips.map(\.people.count) == [count]) }
            }
            expectGrowth("repeating a trip") { count in
                let history = PurchaseHistory(trips(count))
                let state = state(count, text: { "\($0)" }, markedOff: true)
                let picks = history.inOrder
                return { #expect(state.additions(repeating: picks, at: .seconds(0)).count == count) }
            }
        }

        @Test("many things to suggest, due or not")
        func suggestions() {
            expectGrowth("suggestions") { count in
                let history = PurchaseHistory(trips(count))
                return {
                    let now = Timestamp.seconds(.max / 2000)
                    let state = state(count / 2) { "\($0)" }
                    #expect(history.suggestions(for: state, at: now).count == count - count / 2 + 1)
                    #expect(!history.suggestions(for: state, at: now, beginningWith: "\(count)").isEmpty)
                }
            }
        }

        @Test("the aisles of many new items")
        func aisles() {
            expectGrowth("last aisles") { count in
                let entries = (1...count).map { number in
                    ConfirmedEntry.sample(
                        number, .add, number, [Fields.text: .string("\(number)"), Fields.aisle: .string("\(number)")])
                }
                let list = ListFold(folding: entries)
                return { #expect(list.lastAisles(of: (1...count).map { "\($0)" }).count == count) }
            }
            expectGrowth("rows by aisle") { count in
                let rows = state(count) { "\($0)" }.items.map { item in
                    var item = item
                    item.fields[Fields.aisle] = .string("\(item.id.number)")
                    return ShownRow(item: item)
                }
                return { #expect(rows.byAisle((0..<count).map { "\($0)" }).count == count) }
            }
        }

        @Test("lines that all have the text of all items")
        func additions() {
            expectGrowth("additions of one text") { count in
                let state = state(count) { _ in "milk" }
                let lines = (0..<count).map { number in
                    NewItem(fields: [Fields.text: "milk", Fields.quantity: .string("\(count + number)")])
                }
                return { #expect(state.additions(of: lines).count == count) }
            }
        }

        @Test("a search for a text that nearly occurs everywhere")
        func search() {
            expectGrowth("searching") { length in
                let items = [
                    Item(id: .sample(1), fields: [Fields.text: .string(String(repeating: "ab ", count: length))])
                ]
                let wanted = String(repeating: "ab ", count: length / 2) + "c"
                return { #expect(items.found(by: wanted).isEmpty) }
            }
        }

        @Test("many people, all of whom change")
        func participants() {
            expectGrowth("the participant diff") { count in
                let before = ShareState(
                    participants: (1...count).map { Participant(account: nil, email: "\($0)@x", status: .invited) })
                let after = ShareState(
                    participants: before.participants.reversed().enumerated().map { index, participant in
                        var participant = participant
                        participant.account = .sample(index)
                        participant.status = .accepted
                        return participant
                    })
                return { #expect(after.changes(since: before).allSatisfy { $0.kind == .joined }) }
            }
        }

        @Test("net changes, replay completeness, and the differences between two devices")
        func histories() {
            expectGrowth("net changes") { count in
                let entries = trips(count)
                return {
                    var tally = ChangeTally()
                    for entry in entries { tally.count(entry.entry.operation, of: entry.entry.item) }
                    #expect(tally.added == count && tally.markedOff == count)
                }
            }
            expectGrowth("replay completeness") { count in
                let entries = trips(count)
                let devices = (1...count).map { DeviceReport(device: .sample($0), lastHeardFrom: .seconds(1)) }
                return {
                    guard
                        case .waiting(let missing) = ReplayCompleteness(
                            of: entries, until: .seconds(.max / 2000), devices: devices)
                    else { return }
                    #expect(missing.count == count)
                }
            }
            expectGrowth("differences") { count in
                let marks = trips(count).map { EntryMark(sequence: $0.sequence, id: $0.entry.id, hash: $0.hash) }
                return { #expect(Divergence.all(marks, marks, through: .init(rawValue: .max)).isEmpty) }
            }
        }
    }
#endif
