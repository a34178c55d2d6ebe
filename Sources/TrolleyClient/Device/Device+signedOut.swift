public import TrolleyJournal
import TrolleySync
import TrolleyWire

// Sessions that end elsewhere.

/// A sign-out of this device that was made elsewhere: on another device of the account, by its new password, or by an
/// operator.
public struct SignedOutElsewhere: Hashable, Sendable, Codable {
    /// The address of the account's service.
    public var server: String
    public var email: String
    /// When this device noticed.
    public var at: Timestamp
}

extension Device {
    /// The last sign-out of this device, if it was made elsewhere; nil after the next sign-in.
    ///
    /// ```swift
    /// if let ended = try await device.signedOutElsewhere() { print("Signed out elsewhere:", ended.email) }
    /// ```
    public func signedOutElsewhere() async throws(DeviceError) -> SignedOutElsewhere? {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.signedOutElsewhere() }
    }

    /// Records that the service no longer knows this device's session, if that is why a call other than a sync failed. A
    /// sync records it itself.
    ///
    /// If the service says that the device was signed out, this signs the device out: the account's lists leave it, and
    /// unsent changes wait for the account. If it only doesn't know the session, it may have lost the account, so the lists
    /// stay.
    ///
    /// ```swift
    /// do throws(DeviceError) { try await list.rename("Party") } catch {
    ///     try await device.noteSessionEnded(shownBy: error)
    /// }
    /// ```
    public func noteSessionEnded(shownBy error: DeviceError) async throws(DeviceError) {
        guard error.showsEndedSession, let session = try await session() else { return }
        // The call may have been an earlier session's.
        if error.problem?.showsSignOut == true {
            if try await isSignedOut(session) { try await leave(session) }
            return
        }
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.noteEnd(of: session, at: now)
        }
    }

    private func isSignedOut(_ session: AccountSession) async throws(DeviceError) -> Bool {
        do {
            _ = try await transport(of: session).account()
            return false
        } catch .problem(let problem) {
            return problem.showsSignOut
        } catch {
            return false
        }
    }

    /// Signs this device out, because the service says that this session was ended elsewhere.
    func leave(_ session: AccountSession) async throws(DeviceError) {
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.signOut(as: session, at: now)
        }
    }
}
