package import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

// An integration's calls on a hosted device.

extension HostedQueueStore {
    /// The list that a request names: by id or by name, ignoring case; without either, the device's default list, or
    /// its only list. The account is on it.
    /// - Throws: `.noSuchList`, `.ambiguousList`.
    package func list(_ name: String?) async throws(HostedChangeError) -> ListID {
        let known = try await typed { try await shownLists() }
        var lists = known.lists
        if let list = name.map({ ListID($0) }) ?? known.standard {
            guard lists.contains(where: { $0.id == list }) else {
                throw known.unreachable.contains(list) ? .store(.busy) : .noSuchList
            }
            return list
        }
        if lists.contains(where: { !$0.isKnown }) {
            lists = try await changing { transaction in
                var named = lists
                for index in named.indices where !named[index].isKnown {
                    guard try await transaction.lockIfThere(named[index].id) != nil else { continue }
                    named[index].name = try await transaction.sum(named[index].id).name
                }
                return named
            }
        }
        let found = lists.filter { name == nil || $0.name?.lowercased() == name?.lowercased() }
        guard let list = found.first else { throw known.unreachable.isEmpty ? .noSuchList : .store(.busy) }
        guard found.count == 1 else {
            throw .ambiguousList(found.map { Problem.Candidate(id: $0.id, text: $0.name ?? "") })
        }
        return list.id
    }

    func changing<Value>(
        _ body: (HostedTransaction) async throws -> Value
    ) async throws(HostedChangeError) -> Value {
        try await typed { try await untypedTransaction(body) }
    }

    /// Runs a read that may be long when it is the account's turn.
    func reading<Value>(
        _ body: (HostedTransaction) async throws -> Value
    ) async throws(HostedChangeError) -> Value {
        try await typed {
            // The turn throws only the store's errors.
            let result = try await store.withReadTurn(for: reader) { () async throws -> Result<Value, any Error> in
                do { return .success(try await untypedTransaction(body)) } catch { return .failure(error) }
            }
            return try result.get()
        }
    }

    func typed<Value>(_ body: () async throws -> Value) async throws(HostedChangeError) -> Value {
        do {
            return try await body()
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
    func isReadOnly(_ list: ListID, for account: AccountID) async throws -> Bool {
        guard let text = try await run(HostedQueueSQL.share, list).first?.decode(String?.self, at: 0) ?? nil else {
            return false
        }
        let share = try JSONReader.read(text.utf8) { reader throws(WireError) in try ShareState(from: &reader) }
        return share.participants.contains { $0.account == account && $0.permission == .readOnly }
    }
}

extension [Item] {
    /// - Throws: `.noSuchItem`, `.ambiguousItem`.
    func find(_ target: HostedChange.Target, for operation: Operation) throws(HostedChangeError) -> Item {
        switch target {
        case .item(let id):
            guard let item = first(where: { $0.id == id }) else { throw .noSuchItem }
            return item
        case .text(let text):
            switch map({ ShownRow(item: $0) }).choose(text, for: operation) {
            case .item(let index): return self[index]
            case .ambiguous(let candidates):
                throw .ambiguousItem(candidates.map { Problem.Candidate(id: self[$0].id, text: self[$0].text) })
            case .noMatch: throw .noSuchItem
            }
        }
    }
}
