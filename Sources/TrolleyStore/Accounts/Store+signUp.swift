package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Creates an account. If the person proves that the address is theirs, another account with the same, unverified
    /// address loses it: that account keeps its lists and sessions under a placeholder address.
    /// - Parameters:
    ///   - invitation: SHA-256 of the secret that lets this person sign up; nil where everybody may. It is used up. An
    ///     operator's code for the address also verifies the address.
    ///   - emailCode: SHA-256 of a code that was mailed to the address. It is used up.
    /// - Throws: `.emailTaken`; `.wrongEmailCode`; `.signUpNeedsInvitation` when the secret doesn't let this person
    ///   sign up.
    package func createAccount(
        email: EmailAddress, name: String, passwordHash: String, invitation: [UInt8]? = nil, emailCode: [UInt8]? = nil
    ) async throws(StoreError) -> AccountResponse {
        try await signUp(
            email: email, name: name, passwordHash: passwordHash, invitation: invitation, emailCode: emailCode
        ).account
    }

    /// Creates an account as ``createAccount(email:name:passwordHash:invitation:emailCode:)`` does and signs a device in, in
    /// one transaction: if the device can't be signed in, the address stays free and the invitation unused.
    /// - Parameter device: the device's name, and SHA-256 of its token; nil: none.
    package func signUp(
        email: EmailAddress, name: String, passwordHash: String, invitation: [UInt8]? = nil,
        emailCode: [UInt8]? = nil, device: (name: String, tokenHash: [UInt8])? = nil
    ) async throws(StoreError) -> (account: AccountResponse, device: DeviceResponse?) {
        let id = AccountID.version7(at: .now, random: RandomBits.random)
        return try await transaction { connection in
            var isProven = false
            if let invitation { isProven = try await connection.admit(id, email, by: invitation) }
            if let emailCode {
                try await connection.prove(email, by: emailCode)
                isProven = true
            }
            if isProven, let released = try await connection.release(email) {
                try await connection.execute(AccountChangeSQL.note, [released])
            }
            let rows = try await connection.execute(
                AccountSQL.insert, [id, email.text, email.key, name, passwordHash, isProven])
            guard let row = rows.first else { throw StoreError.emailTaken }
            let account = try AccountResponse(row: row)
            // A new account is within any quota of devices.
            var signedIn: DeviceResponse?
            if let device {
                signedIn = try await connection.insertDevice(
                    named: device.name, of: account.id, tokenHash: device.tokenHash)
            }
            return (account, signedIn)
        }
    }

    /// Stores a code with which one person can sign up.
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - email: the only address with which the code works; nil: any address.
    ///   - lifetime: milliseconds.
    /// - Returns: when the code expires.
    package func createSignUpCode(
        hash: [UInt8], email: EmailAddress?, lifetime: Int64
    ) async throws(StoreError) -> Timestamp {
        try await one(SignUpSQL.insertCode, [hash, email?.key, lifetime]) { row throws(PostgresError) in
            try row.decode(Timestamp.self, at: 0)
        }
    }
}

extension Connection {
    /// - Returns: whether the secret verifies the address: true for an operator's code.
    fileprivate func admit(
        _ account: AccountID, _ email: EmailAddress, by secretHash: [UInt8]
    ) async throws -> Bool {
        if let code = try await execute(SignUpSQL.useCode, [secretHash, email.key]).first {
            return try code.decode(Bool.self, at: 0)
        }
        let invited = try await execute(SignUpSQL.useInvitation, [secretHash, email.key, account])
        if invited.isEmpty { throw StoreError.signUpNeedsInvitation }
        return false
    }
}
