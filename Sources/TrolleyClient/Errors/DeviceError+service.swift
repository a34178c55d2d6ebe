import TrolleySync
import TrolleyWire

// Errors after which a device answers from its own data.

extension DeviceError {
    /// Whether the service can't answer now: no answer came in time, or the service or a proxy in front of it answered
    /// that it is down, overloaded, or has failed.
    public var isUnreachable: Bool {
        if case .transport(let error) = self { error.isUnreachable } else { false }
    }

    /// Whether the device is without its service: it is unreachable, nobody is signed in, or the session has ended. Then
    /// the device's own data is the best answer.
    public var isWithoutService: Bool { isUnreachable || self == .notSignedIn || showsEndedSession }

    /// Whether the service no longer knows this device's session.
    var showsEndedSession: Bool { problem?.code == .notAuthenticated }
}

extension DeviceError {
    /// An error of the store. Of a store that is used during a session: nobody is signed in as that any more.
    init(_ error: QueueStoreError) { self = error == .sessionEnded ? .notSignedIn : .store(error) }
}

extension Device {
    /// Whether this device answers from its own data instead of failing.
    func answersInstead(after error: DeviceError) async throws(DeviceError) -> Bool {
        try await noteSessionEnded(shownBy: error)
        // Of a device that was signed out from elsewhere, the lists have left.
        return error.isWithoutService && error.problem?.showsSignOut != true
    }
}
