public import TrolleyJournal

/// What a request holds of the memory for what was read.
public typealias ReadHolding = ByteBudget<AccountID>.Holding

extension Store {
    /// Runs a read that may be long when it is the account's turn. Not inside another one.
    /// - Throws: `.overloaded`, when too many wait.
    func heavily<Value>(
        for account: AccountID, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await typed {
            do { return try await gate.withTurn(of: account, body) } catch is FairGate<AccountID>.Crowded {
                throw StoreError.overloaded
            }
        }
    }

    /// Memory for something of an account's that was read; given back when the holding is let go.
    /// - Throws: `.overloaded`, `.tooLong`.
    public func hold(_ bytes: Int, for account: AccountID) throws(StoreError) -> ReadHolding {
        let holding = memory.holding(for: account)
        try holding.hold(bytes)
        return holding
    }
}

extension ByteBudget.Holding {
    /// Holds this many bytes from now on.
    /// - Throws: `.overloaded`, `.tooLong`; then it holds what it held.
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
