package import TrolleyJournal
import TrolleyPostgres

/// An account, as the service's operator sees it.
package struct AccountOverview: Hashable, Sendable, Encodable {
    package let id: AccountID
    package let email: String
    package let name: String
    package let createdAt: Timestamp
    /// Whether the address is verified.
    package let emailVerified: Bool
    /// Whether the account may see the operator's page.
    package let `operator`: Bool
    /// The number of devices on which the account is signed in.
    package let devices: Int64
    /// When one of its signed-in devices was last here; nil when there is none, or none was ever here.
    package let lastSeenAt: Timestamp?
    /// The number of lists that it owns.
    package var lists: Int64
}

extension Store {
    /// Accounts, oldest first.
    /// - Parameters:
    ///   - after: the last account of the previous page; nil: start at the first.
    ///   - limit: the largest number of accounts to return.
    package func accounts(after: AccountID?, limit: Int) async throws(StoreError) -> [AccountOverview] {
        var page = try await all(AccountSQL.page, [after, limit]) { row throws(PostgresError) in
            let (id, email, name, createdAt, isVerified, isOperator) = try row.decode(
                (AccountID, String, String, Timestamp, Bool, Bool).self)
            return AccountOverview(
                id: id, email: email, name: name, createdAt: createdAt, emailVerified: isVerified,
                operator: isOperator, devices: try row.decode(at: 7), lastSeenAt: try row.decode(at: 8), lists: 0)
        }
        let owned = try await all(MemberSQL.countOwnedByMany, [page.map(\.id)]) { row throws(PostgresError) in
            try row.decode((AccountID, Int64).self)
        }
        let lists = Dictionary(uniqueKeysWithValues: owned)
        for index in page.indices { page[index].lists = lists[page[index].id] ?? 0 }
        return page
    }
}
