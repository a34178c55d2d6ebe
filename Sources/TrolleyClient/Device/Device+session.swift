public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Signing up, in and out on a device.

extension Device {
    public func session() async throws(DeviceError) -> Session? {
        try await stored { () async throws(QueueStoreError) in try await store.session() }
    }

    /// Makes an account and signs in to it. Lists that were made before belong to it from now on.
    ///
    /// Where the service has lost the account that is signed in, or was, since it was restored from a backup or emptied, the
    /// new one of the same address succeeds it: its lists and its unsent changes go along.
    /// - Parameters:
    ///   - server: the service's address: `https://lists.example.com`.
    ///   - email: what the person signs in with, and is invited by.
    ///   - name: what others see.
    ///   - password: 8 to 200 characters.
    ///   - deviceName: what the person calls this device.
    ///   - invitation: where signing up needs one: an invitation's link, or a code from the operator.
    ///   - emailCode: what was sent to the address (``sendEmailCode(to:server:)``); it shows that the address is the person's.
    public func signUp(
        server: String, email: String, name: String, password: String, deviceName: String? = nil,
        invitation: String? = nil, emailCode: String? = nil
    ) async throws(DeviceError) -> Session {
        let server = try Self.normalised(server)
        // The service has lost the account, or never gives its address to another one.
        let before = try await session()
        if let before {
            guard before.isFor(email, at: server), try await hasEnded(before) else { throw .signedIn(before.email) }
        }
        var secret: String?
        if let invitation { secret = try Self.secret(in: invitation, for: server) }
        let request = SignUpRequest(
            email: email, name: name, password: password, invitation: secret, emailCode: emailCode)
        let transport = transport(server, trusting: before?.authorities)
        _ = try await called { () async throws(TransportError) in try await transport.signUp(request) }
        return try await signIn(server: server, email: email, password: password, deviceName: deviceName)
    }

    /// Signs in, as a new device. Its lists come with the next sync. A session that the device had on the same service ends.
    ///
    /// Signing in again is allowed after the service has ended the session. What was kept on the device of this
    /// account, or of one of the same address that the service has lost, goes along.
    /// - Throws: `.signedIn`, also when the address belongs to another account by now and the one that is signed in lives on.
    public func signIn(
        server: String, email: String, password: String, deviceName: String? = nil
    ) async throws(DeviceError) -> Session {
        let server = try Self.normalised(server)
        let before = try await session()
        if let before, !before.isFor(email, at: server) { throw .signedIn(before.email) }
        let transport = transport(server, trusting: before?.authorities)
        let response = try await called { () async throws(TransportError) in
            try await transport.signIn(SignInRequest(email: email, password: password, deviceName: deviceName))
        }
        let session = Session(
            server: server, token: response.token, account: response.account.id, email: response.account.email,
            name: response.account.name, device: response.device.id,
            authorities: trust.given?.pem ?? before?.authorities)
        let now = clock().wall
        let lost: Set<AccountID>
        do throws(DeviceError) { lost = try await accountsLost(to: session, formerly: before) } catch {
            await end([session.token], as: session)
            throw error
        }
        try await stored { () async throws(QueueStoreError) in
            try await store.signIn(session, succeeding: lost, at: now)
        }
        await endSessions(before: session, formerly: before)
        return session
    }

    /// The accounts of which a new session's account is the successor on this device: they had its address, and the service no
    /// longer knows their sessions. One that lives on has given its address up, and keeps its lists.
    /// - Parameter before: who was signed in until now.
    /// - Throws: `.signedIn`, when that is another account and lives on.
    private func accountsLost(
        to session: Session, formerly before: Session?
    ) async throws(DeviceError) -> Set<AccountID> {
        var lost: Set<AccountID> = []
        if let before, before.account != session.account {
            guard try await hasEnded(before) else { throw .signedIn(before.email) }
            lost.insert(before.account)
        }
        let others = try await stored { () async throws(QueueStoreError) in try await store.predecessors(of: session) }
        for (id, known) in others where id != before?.account {
            if known.hadEnded == true {
                lost.insert(id)
            } else if let token = known.token {
                let formerly = Session(
                    server: known.server, token: token, account: id, email: known.email, name: known.name,
                    device: session.device, authorities: session.authorities)
                if try await hasEnded(formerly) { lost.insert(id) }
            }
        }
        return lost
    }

    /// Ends the sessions that this device had on a service, so that it isn't listed twice.
    private func endSessions(before session: Session, formerly before: Session?) async {
        var tokens = before.map { [$0.token] } ?? []
        do { tokens += try await store.takeUnendedSessions(of: session.account) } catch {
            // They end by themselves, and can be ended from any device.
        }
        await end(tokens.filter { $0 != session.token }, as: session)
    }

    private func end(_ tokens: [String], as session: Session) async {
        for token in tokens {
            do { try await transport(session.server, token: token, trusting: session.authorities).signOut() } catch {
                // It had ended already, or ends by itself.
            }
        }
    }

    /// What came of signing out.
    public struct SignOut: Hashable, Sendable {
        /// Entries that could not be sent.
        public var waiting: Int
        /// Whether the service knows. If not, the session lives on there until it is ended from another device.
        public var isKnownToService: Bool
        /// What became of the account's lists.
        public var lists: ListFate
        /// How many lists there were.
        public var count: Int
    }

    /// Sends what waits as far as that goes, and ends the session.
    /// - Parameter fate: what becomes of the account's lists. nil: they leave the device when the service knew the session, and so
    ///   has them. They are hidden when it can't be reached. They stay in sight when it no longer knew the session: then it may
    ///   have lost the account, and the lists with it.
    public func signOut(lists fate: ListFate? = nil) async throws(DeviceError) -> SignOut {
        let transport = try await transport()
        let report = try await sync(.byHand, within: .seconds(10))
        let count = try await lists().count { !$0.isLocal }
        var (isKnown, usual) = (true, ListFate.leave)
        do {
            try await transport.signOut()
        } catch .problem(let problem) where problem.code == .notAuthenticated {
            usual = .stay
        } catch {
            (isKnown, usual) = (false, .hide)
        }
        let chosen = fate ?? usual
        let hadEnded = usual == .stay
        try await stored { [isKnown] () async throws(QueueStoreError) in
            try await store.signOut(chosen, isKnown: isKnown, hadEnded: hadEnded)
        }
        return SignOut(waiting: report.waiting, isKnownToService: isKnown, lists: chosen, count: count)
    }

    /// Since when the service no longer knows this device's session: it was ended, or the service was restored from a backup,
    /// or emptied, and has lost the account. Nil while it knows it, or wasn't asked.
    public func sessionEnded() async throws(DeviceError) -> Timestamp? {
        try await stored { () async throws(QueueStoreError) in try await store.standing() }.pace.sessionEndedAt
    }

    /// Remembers that the service no longer knows this device's session, as a call of a person's has shown. A sync does so by
    /// itself.
    public func noteSessionEnded() async throws(DeviceError) {
        guard try await session() != nil else { return }
        let now = clock().wall
        try await stored { () async throws(QueueStoreError) in
            var pace = try await store.standing().pace
            pace.sessionEndedAt = pace.sessionEndedAt ?? now
            try await store.remember(pace)
        }
    }

    /// What accounts that are not signed in have on this device, out of sight.
    public func hiddenLists() async throws(DeviceError) -> [HiddenLists] {
        try await stored { () async throws(QueueStoreError) in try await store.hiddenLists() }
    }

    private func hasEnded(_ session: Session) async throws(DeviceError) -> Bool {
        do {
            _ = try await transport(of: session).account()
            return false
        } catch .problem(let problem) where problem.code == .notAuthenticated {
            return true
        } catch {
            throw .transport(error)
        }
    }

    /// Deletes the account that is signed in, for good. Its lists go to others who are on them, or end; it leaves others'
    /// lists; and everything of it leaves this device, also what was never sent. Lists on this device alone stay.
    /// - Parameter password: the account's.
    public func deleteAccount(password: String) async throws(DeviceError) {
        let transport = try await transport()
        try await called { () async throws(TransportError) in
            try await transport.deleteAccount(DeleteAccountRequest(password: password))
        }
        try await stored { () async throws(QueueStoreError) in try await store.forgetAccount() }
    }

    /// The address without what doesn't belong to it.
    private static func normalised(_ address: String) throws(DeviceError) -> String {
        guard let address = ServiceAddress(address) else { throw .notAnAddress }
        return address.description
    }
}
