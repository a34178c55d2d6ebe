public import TrolleyWire

/// The kind of an error, in one word: a code of the service (`ProblemCode`), or one of the device's codes below. A code
/// keeps its meaning; later versions may add codes.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code of an error that the service has returned.
    public init(_ problem: ProblemCode) { rawValue = problem.rawValue }

    public var description: String { rawValue }
}

extension ErrorCode {
    // Of calls: see the cases of ``DeviceError``.
    public static let notSignedIn = ErrorCode(rawValue: "notSignedIn")
    public static let signedIn = ErrorCode(rawValue: "signedIn")
    public static let notAnAddress = ErrorCode(rawValue: "notAnAddress")
    public static let insecureAddress = ErrorCode(rawValue: "insecureAddress")
    public static let unreadableCertificates = ErrorCode(rawValue: "unreadableCertificates")
    public static let notCertificates = ErrorCode(rawValue: "notCertificates")
    public static let notAnEmailAddress = ErrorCode(rawValue: "notAnEmailAddress")
    public static let notAnInvitation = ErrorCode(rawValue: "notAnInvitation")
    public static let invitationOfAnotherService = ErrorCode(rawValue: "invitationOfAnotherService")
    public static let unusableText = ErrorCode(rawValue: "unusableText")
    public static let readOnly = ErrorCode(rawValue: "readOnly")
    public static let ownerCannotLeave = ErrorCode(rawValue: "ownerCannotLeave")
    public static let onlyOwnerDeletes = ErrorCode(rawValue: "onlyOwnerDeletes")
    public static let onlyOwnerShares = ErrorCode(rawValue: "onlyOwnerShares")
    public static let notInStep = ErrorCode(rawValue: "notInStep")
    public static let notPublished = ErrorCode(rawValue: "notPublished")
    public static let noStateThen = ErrorCode(rawValue: "noStateThen")
    public static let noSuchChange = ErrorCode(rawValue: "noSuchChange")
    public static let tripIsOver = ErrorCode(rawValue: "tripIsOver")

    // Of a sync that did not start.
    public static let tooEarly = ErrorCode(rawValue: "tooEarly")
    public static let alreadyRunning = ErrorCode(rawValue: "alreadyRunning")
    /// The caller stopped the sync, for instance because it took too long.
    public static let stopped = ErrorCode(rawValue: "stopped")

    // Of the connection to the service.
    /// No answer came. The request may have arrived.
    public static let unreachable = ErrorCode(rawValue: "unreachable")
    /// The answer was not one of a Trolley service.
    public static let notUnderstood = ErrorCode(rawValue: "notUnderstood")

    // Of the device's files.
    public static let noSuchList = ErrorCode(rawValue: "noSuchList")
    public static let unreadableFiles = ErrorCode(rawValue: "unreadableFiles")
    public static let busyFiles = ErrorCode(rawValue: "busyFiles")
    public static let unusableFiles = ErrorCode(rawValue: "unusableFiles")
}
