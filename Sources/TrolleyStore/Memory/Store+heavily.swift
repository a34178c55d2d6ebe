public import TrolleyJournal

/// The memory that a request holds for what it has read.
public typealias ReadHolding = ByteBudget<AccountID>.Holding

extension Store {
    /// Runs a possibly long read when it is the account's turn. Must not be nested.
    /// - Throws: `.overloaded`, when too many reads wait.
    func heavily<Value>(
        for account: AccountID, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await typed {
            do { return try await gate.withTurn(of: account, body) } catch is FairGate<AccountID>.Crowded {
                throw StoreError.overloaded
            }
        }
    }

    /// Takes memory for data that an account reads; it is released when the holding is deallocated.
    /// - Throws: `.overloaded`, `.tooLong`.
    public func hold(_ bytes: Int, for account: AccountID) throws(StoreError) -> ReadHolding {
        let holding = memory.holding(for: account)
        try holding.hold(bytes)
        return holding
    }
}

extension ByteBudget.Holding {
    /// Changes the number of bytes that are held.
    /// - Throws: `.overloaded`, `.tooLong`; then the holding is unchanged.
    public func resize(to bytes: Int) throws(StoreError) {
        shrink(to: bytes)
        try hold(max(0, bytes - count))
    }

    /// Holds more bytes.
    /// - Throws: `.overloaded`, `.tooLong`.
    func hold(_ bytes: Int) throws(StoreError) {
        do { try grow(by: bytes) } catch {
            switch error {
            case .inUse: throw .overloaded
            case .tooLarge: throw .tooLong
            }
        }
    }
}
