import TrolleySync
import TrolleyWire

// Who uses the device.

extension Device {
    public func session() async throws(DeviceError) -> Session? {
        try await stored { () async throws(QueueStoreError) in try await store.session() }
    }

    /// Makes an account and signs in to it. Lists that were made before belong to it from now on.
    /// - Parameters:
    ///   - server: the service's address: `https://lists.example.com`.
    ///   - email: what the person signs in with, and is invited by.
    ///   - name: what others see.
    ///   - password: 8 to 200 characters.
    ///   - deviceName: what the person calls this device.
    ///   - invitation: where signing up needs one: an invitation's link, or a code from whoever runs the service.
    public func signUp(
        server: String, email: String, name: String, password: String, deviceName: String? = nil,
        invitation: String? = nil
    ) async throws(DeviceError) -> Session {
        let server = try Self.normalised(server)
        if let session = try await session() { throw .signedIn(session.email) }
        var secret: String?
        if let invitation { secret = try Self.secret(in: invitation, for: server) }
        let request = SignUpRequest(email: email, name: name, password: password, invitation: secret)
        let transport = transport(server, token: nil)
        _ = try await called { () async throws(TransportError) in try await transport.signUp(request) }
        return try await signIn(server: server, email: email, password: password, deviceName: deviceName)
    }

    /// Signs in, as a new device. Its lists come with the next sync.
    ///
    /// Whoever is signed in may sign in again, for a session that the service has ended.
    public func signIn(
        server: String, email: String, password: String, deviceName: String? = nil
    ) async throws(DeviceError) -> Session {
        let server = try Self.normalised(server)
        if let session = try await session(), session.email != email || session.server != server {
            throw .signedIn(session.email)
        }
        let transport = transport(server, token: nil)
        let response = try await called { () async throws(TransportError) in
            try await transport.signIn(SignInRequest(email: email, password: password, deviceName: deviceName))
        }
        let session = Session(
            server: server, token: response.token, account: response.account.id, email: response.account.email,
            name: response.account.name, device: response.device.id)
        try await stored { () async throws(QueueStoreError) in try await store.signIn(session) }
        return session
    }

    /// What came of signing out.
    public struct SignOut: Hashable, Sendable {
        /// Entries that could not be sent. They stay, hidden, until the account signs in again.
        public var waiting: Int
        /// Whether the service knows. If not, the session lives on there until it is ended from another device.
        public var isKnownToService: Bool
    }

    /// Sends what waits as far as that goes, ends the session, and takes the account's lists off the device.
    public func signOut() async throws(DeviceError) -> SignOut {
        let transport = try await transport()
        let report = try await sync(.byHand, within: .seconds(10))
        var isKnown = true
        do {
            try await transport.signOut()
        } catch .problem(let problem) where problem.code == .notAuthenticated {
            // It had ended already.
        } catch {
            isKnown = false
        }
        try await stored { () async throws(QueueStoreError) in try await store.signOut() }
        return SignOut(waiting: report.waiting, isKnownToService: isKnown)
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
