package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Registrations of programs that are told of lists by push.

extension Store {
    /// Registers the program of a personal token for a list, or changes its registration. All registrations of a program
    /// have the same endpoint: a new endpoint ends those for the previous one.
    /// - Throws: `.notOnList`, `.gone`; `.tooManySubscriptions`; `.signedOut` when the token was revoked meanwhile.
    package func register(
        _ session: Session, for list: ListID, _ wanted: RegistrationRequest
    ) async throws(StoreError) -> PushRegistration {
        let head = try await calendarHead(of: list, for: session.account)
        let target = WebhookID.version7(at: .now, random: RandomBits.random)
        let id = RegistrationID.version7(at: .now, random: RandomBits.random)
        return try await transaction { connection in
            // Two calls at the same time are both counted.
            let answers = try await connection.pipeline([
                .execute(AccountSQL.lock, [session.account]),
                .execute(PushSQL.lockDevice, [session.device]),
                .execute(RegistrationSQL.endEarlierEndpoint, [session.device, wanted.endpoint]),
                .execute(RegistrationSQL.count, [session.account, session.device, list]),
            ])
            let (ofDevice, ofAccount) = try answers[3][0].decode((Int64, Int64).self)
            guard ofDevice < Int64(PushLimits.registrationsPerDevice),
                ofAccount < Int64(PushLimits.registrationsPerAccount)
            else { throw StoreError.tooManySubscriptions }
            let stored = try await connection.pipeline([
                .execute(
                    PushSQL.subscribe,
                    [
                        target, session.device, wanted.endpoint, wanted.keys.publicKey, wanted.keys.secret,
                        wanted.origin, false, nil as String?, wanted.seconds,
                    ]),
                .execute(
                    RegistrationSQL.register,
                    [
                        id, session.device, list, wanted.wantsContent, wanted.wantsProperties, head.head,
                        head.permission.rawValue, wanted.seconds,
                    ]),
            ])
            guard let row = stored[1].first else { throw StoreError.signedOut }
            return PushRegistration(id: try row.decode(at: 0), expiresAt: try row.decode(at: 1))
        }
    }

    /// Ends a registration of an account, and deletes the message that waits for it.
    /// - Returns: whether there was one.
    package func endRegistration(
        _ registration: RegistrationID, of account: AccountID
    ) async throws(StoreError) -> Bool {
        try await transaction { connection in
            // A registration that is being made must find the target, or make it again.
            let answers = try await connection.pipeline([
                .execute(AccountSQL.lock, [account]), .execute(RegistrationSQL.lockTarget, [registration, account]),
            ])
            guard let row = answers[1].first else { return false }
            let target = try row.decode(WebhookID.self, at: 0)
            try await connection.pipeline([
                .execute(RegistrationSQL.end, [[registration]]),
                .execute(RegistrationSQL.endEmptyTarget, [target]),
            ])
            return true
        }
    }

    // MARK: Holding

    /// Keeps registrations for a list from getting messages while a request changes the list. A hold ends after ten
    /// seconds at the latest.
    /// - Parameters:
    ///   - isForAll: all registrations, of everybody.
    ///   - named: otherwise these, if they are the account's.
    /// - Returns: nil if there are none.
    package func hold(
        registrationsFor list: ListID, isForAll: Bool, named: Set<RegistrationID>, by session: Session
    ) async throws(StoreError) -> RegistrationHold? {
        let held = try await all(
            RegistrationSQL.hold, [list, isForAll, named.sorted(), session.account, session.device]
        ) { row throws(PostgresError) in try row.decode((RegistrationID, String).self) }
        guard let until = held.first?.1 else { return nil }
        return RegistrationHold(registrations: held.map(\.0), until: until)
    }

    /// Ends a hold. The registrations get no message of the changes after `previous`, up to `head`, unless they must be
    /// told of earlier changes, too.
    package func release(
        _ hold: RegistrationHold, from previous: SequenceNumber, to head: SequenceNumber
    ) async throws(StoreError) {
        try await execute(RegistrationSQL.release, [hold.registrations, hold.until, previous, head])
    }
}
