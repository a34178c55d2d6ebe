public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Signing up, signing in and signing out.

extension Device {
    /// The account that is signed in on this device; nil: nobody is.
    ///
    /// ```swift
    /// if let session = try await device.session() { print(session.account) }
    /// ```
    public func session() async throws(DeviceError) -> AccountSession? {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.session() }
    }

    /// Creates an account and signs in. Lists that were made before then belong to the account.
    ///
    /// If the service was restored from a backup or emptied and has lost the present or a former account of the same
    /// address on this device, the new account succeeds it: its lists and unsent changes go to the new account.
    ///
    /// ```swift
    /// let session = try await device.signUp(
    ///     server: "https://trolley.example.com", email: "ann@example.com", name: "Ann", password: "correct horse")
    /// print(session.account)
    /// ```
    /// - Parameters:
    ///   - server: the service's address, such as `https://lists.example.com`.
    ///   - email: the address for signing in and for invitations.
    ///   - name: the name that other people see.
    ///   - password: 8 to 200 characters.
    ///   - deviceName: the person's name for this device.
    ///   - invitation: an invitation's link or a code from the operator, where signing up needs one.
    ///   - emailCode: the code that was mailed to the address (``DeviceAccount/sendEmailCode(to:server:)``); it proves that the
    ///     address is the person's.
    public func signUp(
        server: String, email: String, name: String, password: String, deviceName: String? = nil,
        invitation: String? = nil, emailCode: String? = nil
    ) async throws(DeviceError) -> AccountSession {
        // Fails unless the service has lost the signed-in account: the service never gives that account's address to
        // another one.
        let before = try await session()
        let server = try address(server, knowing: before).description
        if let before {
            guard before.isFor(email, at: server), try await hasEnded(before) else { throw .signedIn(before.email) }
        }
        var secret: String?
        if let invitation { secret = try Self.secret(in: invitation, for: server) }
        let request = SignUpRequest(
            email: email, name: name, password: password, invitation: secret, emailCode: emailCode)
        let transport = transport(server, trusting: before?.authorities)
        _ = try await withTransportErrors { () async throws(TransportError) in try await transport.signUp(request) }
        return try await signIn(server: server, email: email, password: password, deviceName: deviceName)
    }

    /// Signs in as a new device. The next sync fetches the account's lists. Ends the device's earlier session on the
    /// same service.
    ///
    /// Signing in again is allowed after the service has ended the session. Lists that the device has kept for this
    /// account, or for an account of the same address that the service has lost, go to the new session.
    ///
    /// ```swift
    /// let session = try await device.signIn(
    ///     server: "https://trolley.example.com", email: "ann@example.com", password: "correct horse")
    /// print(session.account)
    /// ```
    /// - Throws: `.signedIn`, also when the address now belongs to another account while the signed-in account still
    ///   exists.
    public func signIn(
        server: String, email: String, password: String, deviceName: String? = nil
    ) async throws(DeviceError) -> AccountSession {
        let before = try await session()
        let server = try address(server, knowing: before).description
        if let before, !before.isFor(email, at: server) { throw .signedIn(before.email) }
        let transport = transport(server, trusting: before?.authorities)
        let response = try await withTransportErrors { () async throws(TransportError) in
            try await transport.signIn(SignInRequest(email: email, password: password, deviceName: deviceName))
        }
        let session = AccountSession(
            server: server, token: response.token, account: response.account.id, email: response.account.email,
            name: response.account.name, device: response.device.id,
            authorities: trust.given?.pem ?? before?.authorities)
        let now = clock().wall
        let lost: Set<AccountID>
        do throws(DeviceError) { lost = try await accountsLost(to: session, formerly: before) } catch {
            await end([session.token], as: session)
            throw error
        }
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.signIn(session, succeeding: lost, at: now)
        }
        await endSessions(before: session, formerly: before)
        return session
    }

    /// The accounts that a new session's account succeeds on this device: they had its address, and the service no
    /// longer knows their sessions. An account that still exists has only given up its address, and keeps its lists.
    /// - Parameter before: the session until now.
    /// - Throws: `.signedIn`, when that session belongs to another account that still exists.
    private func accountsLost(
        to session: AccountSession, formerly before: AccountSession?
    ) async throws(DeviceError) -> Set<AccountID> {
        var lost: Set<AccountID> = []
        if let before, before.account != session.account {
            guard try await hasEnded(before) else { throw .signedIn(before.email) }
            lost.insert(before.account)
        }
        let others = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.predecessors(of: session)
        }
        for (id, known) in others where id != before?.account {
            if known.hadEnded == true {
                lost.insert(id)
            } else if let token = known.token {
                let formerly = AccountSession(
                    server: known.server, token: token, account: id, email: known.email, name: known.name,
                    device: session.device, authorities: session.authorities)
                if try await hasEnded(formerly) { lost.insert(id) }
            }
        }
        return lost
    }

    /// Ends this device's earlier sessions on a service, so that the device isn't listed twice.
    private func endSessions(before session: AccountSession, formerly before: AccountSession?) async {
        var tokens = before.map { [$0.token] } ?? []
        do { tokens += try await store.takeUnendedSessions(of: session.account) } catch {
            // Such sessions expire, and can be ended from any device.
        }
        await end(tokens.filter { $0 != session.token }, as: session)
    }

    private func end(_ tokens: [String], as session: AccountSession) async {
        for token in tokens {
            do { try await transport(session.server, token: token, trusting: session.authorities).signOut() } catch {
                // The session had ended already, or will expire.
            }
        }
    }

    /// The result of signing out.
    public struct SignOut: Hashable, Sendable {
        /// The number of entries that could not be sent.
        public var waiting: Int
        /// Whether the service knows. If not, the session stays valid until it expires or is ended from another device.
        public var isKnownToService: Bool
        /// What happened to the account's lists. If the device was signed out elsewhere just before, they have left it, and can
        /// only be forgotten.
        public var lists: SignOutListPolicy
        /// The number of the account's lists on the device.
        public var count: Int
    }

    /// Sends waiting entries if possible, and ends the session.
    ///
    /// ```swift
    /// let left = try await device.signOut(lists: .hide)
    /// print(left.waiting)
    /// ```
    /// - Parameter policy: what happens to the account's lists. nil: they leave the device if the service knew the
    ///   session, or had ended it itself, because then it has them. They are hidden if the service can't be reached. They stay
    ///   visible if the service no longer knew the session, because it may have lost the account and its lists.
    public func signOut(lists policy: SignOutListPolicy? = nil) async throws(DeviceError) -> SignOut {
        guard let session = try await session() else { throw .notSignedIn }
        // If this device was signed out elsewhere, the lists must not leave before their policy is applied.
        _ = try await sync(.manual, within: .seconds(10), leaves: false)
        var (isKnown, usual) = (true, SignOutListPolicy.leave)
        do throws(TransportError) {
            try await transport(of: session).signOut()
        } catch .problem(let problem) where problem.code == .notAuthenticated {
            if !problem.showsSignOut { usual = .stay }
        } catch {
            (isKnown, usual) = (false, .hide)
        }
        let chosen = policy ?? usual
        let hadEnded = usual == .stay
        return try await withStoreErrors { [isKnown] () async throws(QueueStoreError) in
            try await store.signOut(of: session, chosen, isKnown: isKnown, hadEnded: hadEnded)
        }
    }

    /// Since when the service no longer knows this device's session: the session was ended, or the service has lost the
    /// account in a restore. nil while the service knows the session or wasn't asked.
    ///
    /// ```swift
    /// if try await device.sessionEnded() != nil { print("Sign in again to send what waits.") }
    /// ```
    public func sessionEnded() async throws(DeviceError) -> Timestamp? {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.deviceStatus() }.retryState
            .sessionEndedAt
    }

    /// Hidden lists of accounts that are not signed in.
    ///
    /// ```swift
    /// for account in try await device.hiddenLists() { print(account.email, account.lists, account.waiting) }
    /// ```
    public func hiddenLists() async throws(DeviceError) -> [HiddenLists] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.hiddenLists() }
    }

    private func hasEnded(_ session: AccountSession) async throws(DeviceError) -> Bool {
        do {
            _ = try await transport(of: session).account()
            return false
        } catch .problem(let problem) where problem.code == .notAuthenticated {
            return true
        } catch {
            throw .transport(error)
        }
    }

    /// The address of a service to which a password or a code is sent. An address without a scheme means `https`, except
    /// for this machine.
    /// - Parameter session: the present session. Its own address may be without TLS, because that was allowed when it
    ///   began.
    /// - Throws: `.notAnAddress`; `.insecureAddress` for another machine without TLS, unless the device allows that.
    func address(_ text: String, knowing session: AccountSession?) throws(DeviceError) -> ServiceAddress {
        let known = session.flatMap { ServiceAddress($0.server) }
        guard let address = ServiceAddress(text, like: known, allowsPlainHTTP: allowsPlainHTTP) else {
            throw .notAnAddress
        }
        guard allowsPlainHTTP || !address.isReadable || address == known else {
            throw .insecureAddress(address.description)
        }
        return address
    }
}
