public import TrolleyWire

/// The result of sending an invitation that a device has made.
public enum InvitationVerdict: Hashable, Sendable {
    /// The service has it.
    case sent
    /// The service refused it for good.
    case refused(ProblemCode, String?)
    /// It could not be sent yet; the next sync tries again.
    case waits

    /// - Parameter error: why the call returned no invitation.
    public init(_ error: TransportError) {
        guard case .problem(let problem) = error else {
            self = .waits
            return
        }
        switch problem.code {
        case .invalidArguments, .tooManyParticipants, .permissionFailure, .serverRecordChanged, .limitExceeded:
            self = .refused(problem.code, problem.detail)
        default: self = .waits
        }
    }
}
