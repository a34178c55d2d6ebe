public import TrolleyJournal
import TrolleySync
import TrolleyWire

// 'Where has my milk gone?'

extension Device {
    /// What became of the items of a name: whether they are on a list, and since when; who marked them off, or deleted them.
    ///
    /// The answer comes from this device: its entries, what waits in its queues, and purchases that it remembers. If no
    /// item here has or had exactly this text, it reads the whole Activity of the lists from the service, too: something else by a
    /// similar name doesn't hide what was compressed.
    ///
    /// ```swift
    /// for item in try await device.whereabouts(of: "milk").items { print(item.trace.status, item.sinceName ?? "") }
    /// ```
    /// - Parameters:
    ///   - name: the beginning of a word of the item's text, also of a former text, or the words of it in any order.
    ///   - list: nil: all lists on this device.
    /// - Returns: the items that fit; none if nobody ever added one, as far as is known.
    /// - Throws: `.store`; `.transport`, if the service answers with an error that is no outage.
    public func whereabouts(of name: String, in list: ListID? = nil) async throws(DeviceError) -> Whereabouts {
        let lists = try await lists().filter { list == nil || $0.id == list }
        var items: [Whereabouts.Item] = []
        for list in lists {
            let names = try await self.list(list.id).names()
            items += try await knownTraces(of: list.id).filter(named: name).map { trace, source in
                Whereabouts.Item(trace, source, of: list, names)
            }
        }
        var isWhole = true
        let wanted = name.itemKey.text
        let isHere = items.contains { item in
            ([item.trace.text] + item.trace.formerTexts).contains { $0.itemKey.text == wanted }
        }
        if !isHere, !wanted.isEmpty {
            let here = Set(items.map(\.trace.id))
            do throws(DeviceError) {
                for list in lists {
                    let shown = self.list(list.id)
                    guard try await shown.isPublished() else { continue }
                    var names = try await shown.names()
                    let entries = try await shown.wholeActivity(&names)
                    items += ItemTrace.traces(of: entries).named(name).filter { !here.contains($0.id) }.map { [names] in
                        Whereabouts.Item($0, .activity, of: list, names)
                    }
                }
            } catch {
                guard try await answersInstead(after: error) else { throw error }
                isWhole = false
            }
        }
        return Whereabouts(items: items.sorted { $0.trace.since.at > $1.trace.since.at }, isWhole: isWhole)
    }

    /// The traces of all items that this device knows, and how.
    private func knownTraces(of list: ListID) async throws(DeviceError) -> [(ItemTrace, Whereabouts.Source)] {
        let own = try await session()?.account
        return try await read { try $0.traces(of: try $0.list(list), by: own) }
    }
}

extension [(ItemTrace, Whereabouts.Source)] {
    fileprivate func filter(named name: String) -> Self {
        let found = Set(map(\.0).named(name).map(\.id))
        return filter { found.contains($0.0.id) }
    }
}

extension Whereabouts.Item {
    fileprivate init(
        _ trace: ItemTrace, _ source: Whereabouts.Source, of list: ListSummary, _ names: [AccountID: String]
    ) {
        self.init(
            list: list.id, listName: list.name, trace: trace, source: source,
            sinceName: trace.since.by.flatMap { names[$0] }, addedName: trace.added?.by.flatMap { names[$0] })
    }
}

extension StoreTransaction {
    fileprivate func traces(
        of list: ListRow, by own: AccountID?
    ) throws -> [(ItemTrace, Whereabouts.Source)] {
        let (journal, toApply) = (try journal(of: list), try confirmedEntries(of: list, applied: false))
        let (pending, waiting) = (Set(journal.pending.map(\.entry.id)), Set(toApply.map(\.entry.id)))
        let traces = ItemTrace.traces(of: journal.confirmed + toApply, pending: journal.pending, by: own)
        let here = Set(traces.map(\.id))
        let bought = try archivedPurchases(of: list).compactMap { ItemTrace($0) }.filter { !here.contains($0.id) }
        return traces.map { trace in
            let entry = trace.since.entry
            func isIn(_ entries: Set<EntryID>) -> Bool { entry.map(entries.contains) ?? false }
            return (trace, isIn(pending) ? .unconfirmed : isIn(waiting) ? .toApply : .list)
        } + bought.map { ($0, .purchase) }
    }
}
