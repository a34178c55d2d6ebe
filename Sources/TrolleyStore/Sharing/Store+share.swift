package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// The members of a list, the invited people, who has the list open, and how far each has received and read it.
    /// - Throws: `.notOnList`, `.gone`.
    package func share(of list: ListID, for account: AccountID) async throws(StoreError) -> ShareResponse {
        try await snapshot { connection in
            let role = try await connection.requireMembership(of: account, on: list).role
            return ShareResponse(
                share: try await connection.share(of: list).shown(to: role),
                presence: try await connection.presence(on: list),
                reads: try await connection.execute(PresenceSQL.reads, [list]).map(ReadMark.init(row:)),
                received: try await connection.execute(PresenceSQL.received, [list]).map(ReadMark.init(row:)))
        }
    }
}

extension Connection {
    /// The owner, then the members, then the invited people, each sorted by address.
    func share(of list: ListID) async throws -> ShareState {
        let rows = try await execute(ShareSQL.participants, [list])
        return ShareState(
            participants: try rows.map { row in try Participant(row: row) }.sorted(by: Participant.precedes))
    }

    /// Records the present state of the share in the list's stream, if it differs from `before`.
    /// - Parameters:
    ///   - departing: a person who leaves or declines, with the status that says so. It tells them from a removed
    ///     person, and appears in this one state only.
    ///   - most: how many bytes of states the list may have with this one; nil: the change may not be refused, as leaving and
    ///     removing.
    /// - Throws: `StoreError.tooManyShareChanges`.
    @discardableResult
    func recordShare(
        of list: LockedList, unless before: ShareState? = nil, departing: Participant? = nil, within most: Int64? = nil
    ) async throws -> ShareState {
        var share = try await share(of: list.id)
        if let departing, !share.participants.contains(where: { $0.isSamePerson(as: departing) }) {
            share.participants.append(departing)
        }
        guard share != before else { return share }
        let sequence = list.head.advanced(by: 1)
        let (latest, bytes) = try await recordedShare(of: list.id)
        let (insert, stored) = NewShare(share, at: sequence, after: latest).insert(to: list.id)
        if let most, bytes + Int64(stored) > most { throw StoreError.tooManyShareChanges }
        _ = try await pipeline([insert, .execute(ShareSQL.advance, [list.id, sequence, Int64(stored)])])
        return share
    }
}

extension Participant {
    fileprivate init(row: Row) throws(PostgresError) {
        let (account, email, name, colour, role, permission, isMember) = try row.decode(
            (AccountID?, String, String?, String?, Role, Permission, Bool).self)
        self.init(
            account: account, email: email, name: name, colour: colour, role: role, permission: permission,
            status: isMember ? .accepted : .invited)
    }
}
