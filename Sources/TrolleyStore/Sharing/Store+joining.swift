package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// The invited person's side.

extension Store {
    /// What an invitation offers. Changes nothing.
    /// - Parameter account: nil: somebody without an account, who sees what a link offers, and items only while nobody has used
    ///   it. What is for one address is shown to that person only.
    /// - Throws: `.unknownInvitation`, also when it is for somebody else.
    package func previewInvitation(
        secretHash: [UInt8], for account: AccountID?
    ) async throws(StoreError) -> InvitationPreview {
        let lists = try await lists(bySecret: secretHash)
        // People without an account share one turn, so that they don't delay anybody who has one.
        let (preview, isNamed) = try await withShortReadTurn(for: account ?? .anonymous) {
            try await snapshot { connection in
                let found = try await connection.usableInvitation(secretHash, to: lists, account)
                var isMember = false
                if let account {
                    isMember = try await !connection.execute(MemberSQL.of, [found.list, account]).isEmpty
                }
                let title = try await connection.title(of: found.list)
                var preview = InvitationPreview(
                    list: found.list, name: title?.name, colour: title?.colour, owner: found.owner,
                    permission: found.permission, accepted: isMember)
                if found.showsItems, let state = try await connection.stateOfShortList(found.list) {
                    preview.show(state)
                }
                return (preview, title != nil)
            }
        }
        return isNamed ? preview : try await naming(preview)
    }

    /// Reads the name and colour of a list from before its row had them, and stores them.
    private func naming(_ preview: InvitationPreview) async throws(StoreError) -> InvitationPreview {
        try await transaction { connection in
            var preview = preview
            let title = try await connection.findTitle(of: preview.list)
            (preview.name, preview.colour) = (title.name, title.colour)
            return preview
        }
    }

    /// Accepts an invitation: puts the account on the list. Repeating the call changes nothing.
    /// - Throws: `.unknownInvitation`, also when it is for somebody else or was used; `.tooManyParticipants`.
    package func acceptInvitation(
        secretHash: [UInt8], by account: AccountID, limit: Int
    ) async throws(StoreError) -> ListResponse {
        let lists = try await lists(bySecret: secretHash)
        return try await transaction { connection in
            let list = try await connection.usableInvitation(secretHash, to: lists, account).list
            // Not `lock(_:for:)`: the account isn't on the list yet.
            guard let locked = try await connection.lock(list) else { throw StoreError.unknownInvitation }
            // An account that is on the list already uses up nothing.
            if try await connection.execute(MemberSQL.of, [list, account]).isEmpty {
                let share = try await connection.join(account, locked, secretHash: secretHash)
                guard share.participants.count <= limit else { throw StoreError.tooManyParticipants }
            }
            let rowsOfList = try await connection.execute(ListSQL.forAccount, [account, list])
            guard let row = rowsOfList.first else { throw StoreError.unknownInvitation }
            return try ListResponse(row: row)
        }
    }

    /// Declines an invitation, and all others for the same person to the same list. Repeating the call changes nothing.
    /// A declined link is used up.
    /// - Returns: the list; nil if nothing has changed.
    /// - Throws: `.unknownInvitation`, also when it is for somebody else or was used; `.alreadyOnList`.
    @discardableResult
    package func declineInvitation(secretHash: [UInt8], by account: AccountID) async throws(StoreError) -> ListID? {
        let lists = try await lists(bySecret: secretHash)
        return try await transaction { connection in
            let found = try await connection.first(InvitationSQL.declinable, [secretHash, account], of: lists)
            guard let (list, isDeclined) = try found?.decode((ListID, Bool).self) else {
                throw StoreError.unknownInvitation
            }
            guard !isDeclined, let locked = try await connection.lock(list) else { return nil }
            guard try await connection.execute(MemberSQL.of, [list, account]).isEmpty else {
                throw StoreError.alreadyOnList
            }
            let before = try await connection.share(of: list)
            try await connection.execute(InvitationSQL.decline, [list, secretHash, account])
            let after = try await connection.share(of: list)
            // A person who is no longer in the share was invited by address, and is the one who declines.
            var departing = before.participants.first { guest in
                !after.participants.contains { $0.isSamePerson(as: guest) }
            }
            departing?.status = .declined
            try await connection.recordShare(of: locked, unless: before, departing: departing)
            return list
        }
    }
}

extension AccountID {
    /// Stands for everybody without an account.
    fileprivate static let anonymous = AccountID(UUIDBits(high: 0, low: 0))
}

extension Connection {
    /// Folds a list for a look at an invitation. Must run in a snapshot.
    /// - Returns: nil for a list with more live entries than are read at a time, because anybody with a link may look.
    fileprivate func stateOfShortList(_ list: ListID) async throws -> ListState? {
        let rows = try await execute(EntrySQL.entryRange, [list, SequenceNumber.start, EntrySQL.atATime + 1])
        if rows.count > EntrySQL.atATime { return nil }
        var fold = ListFold()
        try rows.eachEntry { entry, _ in fold.apply(entry) }
        return fold.state
    }

    /// Uses an invitation to a list whose lock is held.
    fileprivate func join(_ account: AccountID, _ list: LockedList, secretHash: [UInt8]) async throws -> ShareState {
        guard let use = try await execute(InvitationSQL.use, [list.id, secretHash, account]).first else {
            throw StoreError.unknownInvitation
        }
        let permission = try use.decode(Permission.self, at: 0)
        try await execute(MemberSQL.insert, [list.id, account, Role.participant.rawValue, permission.rawValue])
        try await execute(MemberSQL.returned, [list.id, account])
        return try await recordShare(of: list, within: RecordedShare.bytesPerList)
    }

    fileprivate func usableInvitation(
        _ secretHash: [UInt8], to lists: [ListID], _ account: AccountID?
    ) async throws -> (list: ListID, permission: Permission, owner: String, showsItems: Bool) {
        let found =
            if let account {
                try await first(InvitationSQL.usable, [secretHash, account], of: lists)
            } else {
                try await first(InvitationSQL.usableByAnybody, [secretHash], of: lists)
            }
        guard let row = found else { throw StoreError.unknownInvitation }
        return try row.decode((ListID, Permission, String, Bool).self)
    }

    /// The first row of a statement that is run with each of the lists in turn as its last bind.
    fileprivate func first(
        _ statement: Statement, _ binds: [any PostgresEncodable], of lists: [ListID]
    ) async throws -> Row? {
        for list in lists {
            if let row = try await execute(statement, binds + [list]).first { return row }
        }
        return nil
    }
}

extension Store {
    /// The lists to which invitations with a secret lead. Runs before the transaction, because an unreachable node
    /// would end it.
    private func lists(bySecret hash: [UInt8]) async throws(StoreError) -> [ListID] {
        if let nodes = try await self.nodes() { return try await nodes.lists(bySecret: hash) }
        return try await allLists(bySecret: hash)
    }

    func allLists(bySecret hash: [UInt8]) async throws(StoreError) -> [ListID] {
        try await all(InvitationSQL.bySecrets, [[hash]]) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
    }
}
