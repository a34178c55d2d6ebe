public import TrolleyJournal
import TrolleyPostgres

/// An account, as the service's operator sees it.
public struct AccountOverview: Hashable, Sendable, Encodable {
    public let id: AccountID
    public let email: String
    public let name: String
    public let createdAt: Timestamp
    /// Whether somebody has shown that the address is theirs.
    public let emailVerified: Bool
    /// Devices that are signed in.
    public let devices: Int64
    /// When one of its devices was last here; nil: never, or none is signed in.
    public let lastSeenAt: Timestamp?
    /// Lists that it owns.
    public var lists: Int64
}

extension Store {
    /// Accounts, oldest first.
    /// - Parameters:
    ///   - after: the last one of the page before; nil: from the beginning.
    ///   - limit: accounts at the most.
    public func accounts(after: AccountID?, limit: Int) async throws(StoreError) -> [AccountOverview] {
        var page = try await all(AccountSQL.page, [after, limit]) { row throws(PostgresError) in
            let (id, email, name, createdAt, isVerified, devices) = try row.decode(
                (AccountID, String, String, Timestamp, Bool, Int64).self)
            return AccountOverview(
                id: id, email: email, name: name, createdAt: createdAt, emailVerified: isVerified, devices: devices,
                lastSeenAt: try row.decode(at: 6), lists: 0)
        }
        let owned = try await all(MemberSQL.countOwnedByMany, [page.map(\.id)]) { row throws(PostgresError) in
            try row.decode((AccountID, Int64).self)
        }
        let lists = Dictionary(uniqueKeysWithValues: owned)
        for index in page.indices { page[index].lists = lists[page[index].id] ?? 0 }
        return page
    }
}
