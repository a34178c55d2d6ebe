public import TrolleyJournal
import TrolleyPostgres
public import TrolleySync
import TrolleyWire

// What an integration does with a hosted device.

extension HostedQueueStore {
    /// The list that is meant: by id or by name, in upper or lower case; without either the device's default list, or
    /// the only one that there is.
    /// - Throws: `.noSuchList`, `.whichList`.
    public func list(_ name: String?) async throws(HostedChangeError) -> ListID {
        try await changing { transaction in
            let lists = try await transaction.connection.execute(HostedQueueSQL.lists, [device])
                .map { try $0.decode(ListID.self, at: 0) }
            if let name, let id = ListID(name) {
                guard lists.contains(id) else { throw HostedChangeError.noSuchList }
                return id
            }
            if name == nil {
                let chosen = try await transaction.connection.execute(HostedDeviceSQL.defaultList, [device])
                if let list = try chosen.first?.decode(ListID?.self, at: 0) ?? nil {
                    guard lists.contains(list) else { throw HostedChangeError.noSuchList }
                    return list
                }
            }
            var candidates: [Problem.Candidate] = []
            var found: [ListID] = []
            for list in lists {
                let called = ListState(try await transaction.whole(list)).name
                transaction.holding.shrink(to: 0)
                if let name, called?.lowercased() != name.lowercased() { continue }
                found.append(list)
                candidates.append(Problem.Candidate(id: list, text: called ?? ""))
            }
            guard let list = found.first else { throw HostedChangeError.noSuchList }
            guard found.count == 1 else { throw HostedChangeError.whichList(candidates) }
            return list
        }
    }

    /// Makes a change: it is in the list and in the upload queue when this returns. The same request again, as its key or
    /// its entry's id says, gets the first answer.
    /// - Parameter account: whose device it is.
    public func perform(
        _ change: HostedChange, on list: ListID, by account: AccountID, made: DeviceTime
    ) async throws(HostedChangeError) -> HostedChanged {
        try await changing { transaction in
            try await transaction.connection.execute(HostedDeviceSQL.lock, [device])
            let fingerprint = change.fingerprint(on: list)
            let key = change.keyHash(on: list)
            if let key, let first = try await transaction.answer(to: key, fingerprint) { return first }
            let row = try await transaction.lock(list)
            guard try await !transaction.isReadOnly(list, for: account) else { throw HostedChangeError.readOnly }
            let (state, latest) = try await transaction.shown(list, without: change.entry)
            var entry = JournalEntry(
                id: change.entry ?? .version7(at: .now, random: RandomBits.random), operation: change.operation,
                fields: change.fields, batch: .version7(at: .now, random: RandomBits.random), deviceSequence: 1)
            if let target = change.target {
                entry.item = try state.items.find(target, for: change.operation).id
            } else {
                entry.item = .version7(at: .now, random: RandomBits.random)
                entry.after = state.items.last?.id
            }
            let made = try await transaction.append([entry], to: row, made: made, after: latest)
            let before = state.items.first { $0.id == entry.item }
            let after = ListState(try await transaction.whole(list)).items.first { $0.id == entry.item }
            guard let item = after ?? before else { throw HostedChangeError.noSuchItem }
            let changed = HostedChanged(list: list, entry: made[0].id, item: item)
            if let key {
                _ = try await transaction.connection.pipeline([
                    .execute(HostedDeviceSQL.forgetRequests, [device]),
                    .execute(HostedDeviceSQL.insertRequest, [device, key, fingerprint, changed.column]),
                ])
            }
            return changed
        }
    }

    func changing<Value>(
        _ body: (HostedTransaction) async throws -> Value
    ) async throws(HostedChangeError) -> Value {
        do {
            return try await untypedTransaction(body)
        } catch let error as HostedChangeError {
            throw error
        } catch QueueStoreError.noSuchList {
            throw .noSuchList
        } catch StoreError.tooLong {
            throw .tooLong
        } catch {
            throw .store(QueueStoreError(error))
        }
    }
}

extension HostedTransaction {
    /// What a list shows, and when its latest entry was made. Its entries are not kept in memory.
    /// - Throws: `HostedChangeError.keyTaken`, when there is an entry with this id.
    fileprivate func shown(_ list: ListID, without id: EntryID?) async throws -> (ListState, latest: Timestamp?) {
        defer { holding.shrink(to: 0) }
        let journal = try await whole(list)
        if let id, journal.has(id) { throw HostedChangeError.keyTaken }
        return (ListState(journal), journal.latest)
    }

    /// What was answered when the request came first.
    /// - Throws: `HostedChangeError.keyTaken`.
    fileprivate func answer(to key: [UInt8], _ fingerprint: [UInt8]) async throws -> HostedChanged? {
        guard let row = try await connection.execute(HostedDeviceSQL.request, [device, key]).first else { return nil }
        let (hash, answer) = try row.decode(([UInt8], String).self)
        guard hash == fingerprint else { throw HostedChangeError.keyTaken }
        return try HostedChanged(column: answer)
    }

    fileprivate func isReadOnly(_ list: ListID, for account: AccountID) async throws -> Bool {
        guard let text = try await run(HostedQueueSQL.share, list).first?.decode(String?.self, at: 0) ?? nil else {
            return false
        }
        let share = try JSONReader.read(text.utf8) { reader throws(WireError) in try ShareState(from: &reader) }
        return share.participants.contains { $0.account == account && $0.permission == .readOnly }
    }
}

extension ListJournal {
    fileprivate func has(_ id: EntryID) -> Bool {
        confirmed.contains { $0.entry.id == id } || pending.contains { $0.entry.id == id }
    }
}

extension [Item] {
    /// - Throws: `.noSuchItem`, `.whichItem`.
    fileprivate func find(_ target: HostedChange.Target, for operation: Operation) throws(HostedChangeError) -> Item {
        switch target {
        case .item(let id):
            guard let item = first(where: { $0.id == id }) else { throw .noSuchItem }
            return item
        case .text(let text):
            let candidates = matching(text).map { self[$0] }
            // Of several that fit, the one that the change makes sense for.
            let likely = candidates.filter { item in
                switch operation {
                case .markOff: !item.markedOff
                case .unmark: item.markedOff
                default: true
                }
            }
            if likely.count == 1 { return likely[0] }
            guard let item = candidates.first else { throw .noSuchItem }
            guard candidates.count == 1 else {
                throw .whichItem(candidates.map { Problem.Candidate(id: $0.id, text: $0.text) })
            }
            return item
        }
    }
}

extension HostedChanged {
    /// How it is kept for a request that comes again.
    fileprivate var column: PostgresJSON {
        PostgresJSON { writer in
            writer.object { writer in
                writer.key("list")
                writer.identifier(list)
                writer.key("entry")
                writer.identifier(entry)
                writer.key("item")
                writer.identifier(item.id)
                writer.key("markedOff")
                writer.bool(item.markedOff)
                writer.key("fields")
                item.fields.write(to: &writer)
            }
        }
    }

    fileprivate init(column: String) throws {
        self = try JSONReader.read(column.utf8) { reader throws(WireError) in
            var list: ListID?
            var entry: EntryID?
            var item: ItemID?
            var markedOff = false
            var fields: Fields = [:]
            try reader.beginObject()
            while let key = try reader.nextKey() {
                switch key {
                case "list": list = try reader.identifier()
                case "entry": entry = try reader.identifier()
                case "item": item = try reader.identifier()
                case "markedOff": markedOff = try reader.bool()
                case "fields": fields = try Fields(from: &reader)
                default: try reader.skip()
                }
            }
            guard let list, let entry, let item else { throw .invalid("an id is missing") }
            return HostedChanged(
                list: list, entry: entry, item: Item(id: item, markedOff: markedOff, fields: fields),
                isDuplicate: true)
        }
    }
}
