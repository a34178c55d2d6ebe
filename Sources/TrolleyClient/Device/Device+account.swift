public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// The account's password and its other devices. All of it needs the service.

extension Device {
    /// Sets another password. The account's other devices are signed out; this one stays.
    /// - Returns: how many devices were signed out.
    public func changePassword(from password: String, to newPassword: String) async throws(DeviceError) -> Int {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in
            try await transport.changePassword(ChangePasswordRequest(password: password, newPassword: newPassword))
        }.sessionsEnded
    }

    /// Sets another password for somebody who has forgotten it, by a code from the operator. All of the account's
    /// devices are signed out. Nobody is signed in by it.
    /// - Parameters:
    ///   - server: the service's address.
    ///   - email: the account's.
    /// - Returns: how many devices were signed out.
    public func resetPassword(
        server: String, email: String, code: String, newPassword: String
    ) async throws(DeviceError) -> Int {
        guard let address = ServiceAddress(server) else { throw .notAnAddress }
        let kept = try await session()?.authorities
        let transport = transport(address.description, trusting: kept)
        return try await called { () async throws(TransportError) in
            try await transport.resetPassword(ResetPasswordRequest(email: email, code: code, newPassword: newPassword))
        }.sessionsEnded
    }

    /// Lets the service send a code to an address, which shows whose it is: for ``verifyEmail(_:code:password:)``, or for
    /// signing up. Five an hour for one address.
    /// - Parameter server: the service's address; nil: where the device is signed in.
    public func sendEmailCode(to email: String, server: String? = nil) async throws(DeviceError) {
        let transport: HTTPTransport
        if let server {
            guard let address = ServiceAddress(server) else { throw .notAnAddress }
            transport = self.transport(address.description, trusting: try await session()?.authorities)
        } else {
            transport = try await self.transport()
        }
        try await called { () async throws(TransportError) in
            try await transport.sendEmailCode(EmailCodeRequest(email: email))
        }
    }

    /// Shows that an address is this person's: the account has it from now on. Another account that has the address, and
    /// never showed so, gives it up.
    /// - Parameters:
    ///   - code: what was sent to the address.
    ///   - password: the account's; only asked for when the address is another one than before.
    public func verifyEmail(
        _ email: String, code: String, password: String? = nil
    ) async throws(DeviceError) -> AccountResponse {
        let transport = try await transport()
        let account = try await called { () async throws(TransportError) in
            try await transport.changeEmail(ChangeEmailRequest(email: email, code: code, password: password))
        }
        try await stored { () async throws(QueueStoreError) in try await store.rename(account) }
        return account
    }

    /// The account's devices that are signed in, oldest first.
    public func devices() async throws(DeviceError) -> [DeviceResponse] {
        let transport = try await transport()
        return try await called { () async throws(TransportError) in try await transport.devices() }.devices
    }

    /// Signs another of the account's devices out, such as a phone that was lost. Safe to repeat.
    public func signOut(_ device: DeviceID) async throws(DeviceError) {
        let transport = try await transport()
        try await called { () async throws(TransportError) in try await transport.signOut(device) }
    }
}
