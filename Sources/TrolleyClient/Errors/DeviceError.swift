public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Why a device could not carry out a call. ``message`` is a sentence for a person, which an app can translate.
public enum DeviceError: Error, Hashable, Sendable {
    case store(QueueStoreError)
    case transport(TransportError)
    /// The call needs an account.
    case notSignedIn
    /// An account is signed in; its address.
    case signedIn(String)
    /// The text is not a service's address.
    case notAnAddress
    /// The service, by its address, is another machine without TLS, and the device doesn't allow that.
    case insecureAddress(String)
    /// The file of certificates can't be read; its path, and the reason.
    case unreadableCertificates(String, String)
    /// The file of certificates contains none; its path.
    case notCertificates(String)
    /// The text, which is given, is not an email address.
    case notAnEmailAddress(String)
    /// The text is not an invitation's link.
    case notAnInvitation
    /// The invitation belongs to another service; that service's address.
    case invitationOfAnotherService(String)
    /// A list can't contain the text; the reason.
    case unusableText(String)
    /// The person may read the list but not change it.
    case readOnly
    /// The person owns the list; an owner can't leave it.
    case ownerCannotLeave
    /// Only the owner can delete the list.
    case onlyOwnerDeletes
    /// Only the owner can share the list.
    case onlyOwnerShares
    /// The list isn't in step with the service, which this needs.
    case notInStep(SyncFailure)
    /// The list could not be brought to the service, which this needs.
    case notPublished(SyncFailure?)
    /// The list's state at the moment is unknown, so the list can't be restored to it. `isOffline`: only this device's
    /// data was examined.
    case noStateThen(isOffline: Bool)
    /// The list has no change of that number; the number of its last one, as far as is known.
    case noSuchChange(Int64, last: Int64)
    /// The next undo would take back what was marked off on a trip that is over; when the trip ended, and how many items it
    /// had.
    case tripIsOver(Timestamp, items: Int)
}

extension DeviceError {
    /// The service's answer, when it refused the call.
    public var problem: Problem? {
        if case .transport(.problem(let problem)) = self { problem } else { nil }
    }

    /// The kind of the error.
    public var code: ErrorCode { message.code }
}

extension DeviceError: CustomStringConvertible {
    /// The sentence of ``message``, in English.
    public var description: String { message.description }
}

extension DeviceError: LocalizedError {
    /// The sentence of ``message``, in English.
    public var errorDescription: String? { message.description }
}
