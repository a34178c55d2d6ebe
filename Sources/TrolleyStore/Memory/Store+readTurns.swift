package import TrolleyJournal
import TrolleyPostgres

/// The memory that a request holds for what it has read.
package typealias ReadReservation = ByteBudget<AccountID>.Reservation

extension Store {
    /// Runs a possibly long read when it is the account's turn. Must not be nested.
    /// - Throws: `.overloaded`, when too many reads wait.
    func withReadTurn<Value>(
        for account: AccountID, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await withTurn(at: gate, of: account, using: .longRead, body)
    }

    /// Runs a read of a bounded size when it is the account's turn. It doesn't wait for long reads. Must not be nested.
    /// - Throws: `.overloaded`, when too many reads wait.
    func withShortReadTurn<Value>(
        for account: AccountID, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await withTurn(at: shortReads, of: account, using: .shortRead, body)
    }

    /// Runs a read of a few new changes. It waits only for a connection.
    func shortRead<Value>(_ body: () async throws -> Value) async throws(StoreError) -> Value {
        try await typed { try await LeaseClass.$current.withValue(.shortRead) { try await body() } }
    }

    private func withTurn<Value>(
        at gate: FairGate<AccountID>, of account: AccountID, using use: LeaseClass, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await typed {
            do {
                return try await gate.withTurn(of: account) {
                    try await LeaseClass.$current.withValue(use) { try await body() }
                }
            } catch is FairGate<AccountID>.QueueFull { throw StoreError.overloaded }
        }
    }

    /// The same for a read of one list. However many members a list has, they leave turns to other lists' readers. Somebody who isn't
    /// on the list takes none of its turns.
    /// - Throws: also `.notOnList`, `.gone`.
    func withReadTurn<Value>(
        for account: AccountID, on list: ListID, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await requireMembership(of: account, on: list)
        return try await typed {
            do {
                return try await listGate.withTurn(of: list) { try await withReadTurn(for: account, body) }
            } catch is FairGate<ListID>.QueueFull {
                throw StoreError.overloaded
            }
        }
    }

    /// Checks that the account is on the list, before it waits for anything of the list's.
    /// - Throws: `.notOnList`, `.gone`.
    package func requireMembership(of account: AccountID, on list: ListID) async throws(StoreError) {
        let found = try await typed {
            try await topology.onNode(of: list) { pool in
                try await pool.withConnection { try await $0.execute(MemberSQL.of, [list, account]) }
            }
        }
        if found.isEmpty {
            throw try await membershipError(of: account, from: list)
        }
    }

    /// Takes memory for data that an account reads; it is released when the holding is deallocated.
    /// - Throws: `.overloaded`, `.tooLong`.
    package func reserve(_ bytes: Int, for account: AccountID) throws(StoreError) -> ReadReservation {
        let reservation = memory.reservation(for: account)
        try reservation.reserve(bytes)
        return reservation
    }
}

extension ByteBudget.Reservation {
    /// Changes the number of bytes that are held.
    /// - Throws: `.overloaded`, `.tooLong`; then the holding is unchanged.
    package func resize(to bytes: Int) throws(StoreError) {
        shrink(to: bytes)
        try reserve(max(0, bytes - count))
    }

    /// Holds more bytes.
    /// - Throws: `.overloaded`, `.tooLong`.
    func reserve(_ bytes: Int) throws(StoreError) {
        do { try grow(by: bytes) } catch {
            switch error {
            case .inUse: throw .overloaded
            case .tooLarge: throw .tooLong
            }
        }
    }
}
