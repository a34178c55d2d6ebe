public import TrolleyJournal
import TrolleySync
public import TrolleyWire

/// The signed-in account: its password, its address, and its devices (``Device/account``). All of these calls need the
/// service.
public struct DeviceAccount: Sendable {
    let device: Device

    /// Changes the account's password. Signs out the account's other devices, but not this one.
    ///
    /// ```swift
    /// let signedOut = try await device.account.changePassword(from: "correct horse", to: "battery staple")
    /// print(signedOut)
    /// ```
    /// - Returns: the number of devices that were signed out.
    public func changePassword(from password: String, to newPassword: String) async throws(DeviceError) -> Int {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.changePassword(ChangePasswordRequest(password: password, newPassword: newPassword))
        }.sessionsEnded
    }

    /// Sets a new password with a code from the operator, for a person who has forgotten the old one. Signs out all of
    /// the account's devices. The person then signs in with the new password.
    ///
    /// ```swift
    /// let signedOut = try await device.account.resetPassword(
    ///     server: "https://trolley.example.com", email: "ann@example.com", code: "12345678", newPassword: "battery staple")
    /// print(signedOut)
    /// ```
    /// - Parameters:
    ///   - server: the service's address.
    ///   - email: the account's address.
    ///   - code: the code from the operator.
    ///   - newPassword: 8 to 200 characters.
    /// - Returns: the number of devices that were signed out.
    public func resetPassword(
        server: String, email: String, code: String, newPassword: String
    ) async throws(DeviceError) -> Int {
        let session = try await device.session()
        let address = try device.address(server, knowing: session)
        let transport = device.transport(address.description, trusting: session?.authorities)
        return try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.resetPassword(ResetPasswordRequest(email: email, code: code, newPassword: newPassword))
        }.sessionsEnded
    }

    /// Asks the service to mail a code to an address. The code proves that the address is the person's: for
    /// ``verifyEmail(_:code:password:)``, or for signing up. The limit is five codes an hour for one address.
    ///
    /// ```swift
    /// try await device.account.sendEmailCode(to: "ann@example.org")
    /// ```
    /// - Parameters:
    ///   - email: the address.
    ///   - server: the service's address; nil: the service where the device is signed in.
    public func sendEmailCode(to email: String, server: String? = nil) async throws(DeviceError) {
        let transport: HTTPTransport
        if let server {
            let session = try await device.session()
            let address = try device.address(server, knowing: session)
            transport = device.transport(address.description, trusting: session?.authorities)
        } else {
            transport = try await device.transport()
        }
        try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.sendEmailCode(EmailCodeRequest(email: email))
        }
    }

    /// Proves with a code that an address is this person's, and gives the account that address. Another account that
    /// has the address without having proven it loses it.
    ///
    /// ```swift
    /// let account = try await device.account.verifyEmail("ann@example.org", code: "12345678", password: "correct horse")
    /// print(account.email)
    /// ```
    /// - Parameters:
    ///   - email: the address.
    ///   - code: the code that was mailed to the address.
    ///   - password: the account's; needed only if the address differs from the present one.
    public func verifyEmail(
        _ email: String, code: String, password: String? = nil
    ) async throws(DeviceError) -> AccountResponse {
        try await noting { (transport) async throws(TransportError) in
            try await transport.changeEmail(ChangeEmailRequest(email: email, code: code, password: password))
        }
    }

    /// Makes a call that answers with the account, and remembers the account's name and address.
    private func noting(
        _ call: @Sendable (HTTPTransport) async throws(TransportError) -> AccountResponse
    ) async throws(DeviceError) -> AccountResponse {
        let account = try await device.call(call)
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.rename(account)
        }
        return account
    }

    /// The account as the service has it now. The device remembers its name and address.
    ///
    /// ```swift
    /// let account = try await device.account.profile()
    /// print(account.name, account.colour ?? "")
    /// ```
    public func profile() async throws(DeviceError) -> AccountResponse {
        try await noting { (transport) async throws(TransportError) in try await transport.account() }
    }

    /// Changes how the person appears to others: their name, or the colour of their picture. Lists show it for what they did
    /// before, too.
    ///
    /// ```swift
    /// let account = try await device.account.change(name: "Ann Smith", colour: "teal")
    /// print(account.name)
    /// ```
    /// - Parameters:
    ///   - name: 1 to 100 characters; nil: it stays.
    ///   - colour: any text that the apps understand, at most 40 characters; empty: the apps choose one; nil: it stays.
    @discardableResult
    public func change(name: String? = nil, colour: String? = nil) async throws(DeviceError) -> AccountResponse {
        try await noting { (transport) async throws(TransportError) in
            try await transport.changeAccount(ChangeAccountRequest(name: name, colour: colour))
        }
    }

    /// The devices on which the account is signed in, oldest first.
    ///
    /// ```swift
    /// for other in try await device.account.devices() where !other.current { print(other.name, other.lastSeenAt) }
    /// ```
    public func devices() async throws(DeviceError) -> [DeviceResponse] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.devices()
        }
        .devices
    }

    /// Signs out another of the account's devices, such as a lost phone. Safe to repeat.
    ///
    /// ```swift
    /// for other in try await device.account.devices() where other.name == "Lost phone" {
    ///     try await device.account.signOut(other.id)
    /// }
    /// ```
    public func signOut(_ other: DeviceID) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.signOut(other)
        }
    }

    /// Deletes the signed-in account for good. Its lists go to other people on them, or end. It leaves other people's
    /// lists. All its data leaves this device, including unsent changes. Local lists stay.
    ///
    /// ```swift
    /// try await device.account.delete(password: "correct horse")
    /// ```
    /// - Parameter password: the account's.
    public func delete(password: String) async throws(DeviceError) {
        guard let session = try await device.session() else { throw .notSignedIn }
        try await device.withTransportErrors { () async throws(TransportError) in
            try await device.transport(of: session).deleteAccount(DeleteAccountRequest(password: password))
        }
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.forgetAccount(of: session)
        }
    }
}

extension Device {
    /// The signed-in account: its password, its address, its devices, and its data.
    public var account: DeviceAccount { DeviceAccount(device: self) }
}
