import Crypto
import FoundationEssentials
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Checks handshakes.
struct RoomGate: Sendable {
    let store: Store

    /// A nonce is remembered for as long as its timestamp is within the clock window, and half as long again.
    private static let nonceMemory = RoomHandshake.clockWindow * 3

    /// Admits a device to a room, once for each handshake.
    /// - Throws: `Problem`: `incompatibleVersion` when the list is not in the signed text, `unknownItem` when there is no such room for the account (never which), `permissionFailure`
    ///   when the handshake is for another account, outside the clock window, not signed with the room's key, or
    ///   replayed. `StoreError`.
    func admit(_ handshake: RoomHandshake, of session: Session) async throws -> RoomPass {
        let asked = ContinuousClock.now
        // Without the list in it, a text that was signed for one list's room would open another list's.
        guard handshake.version == RoomHandshake.currentVersion else {
            throw Problem(
                .incompatibleVersion,
                "version \(handshake.version) of the handshake opens no room; sign version \(RoomHandshake.currentVersion)"
            )
        }
        guard handshake.author == session.account, handshake.device == session.device else {
            throw Problem(.permissionFailure, "the handshake is for another account or device than the session")
        }
        guard let nonce = handshake.nonceValue, let signature = handshake.signatureValue else {
            throw Problem(
                .invalidArguments, "nonce must be 16 bytes and signature 32 bytes, both in base64url")
        }
        guard
            let admission = try await store.admission(
                to: handshake.address, for: session.account)
        else { throw Problem(.unknownItem, "there is no such room for you; it may be over") }
        let now = admission.now.milliseconds
        let (window, _) = handshake.timestamp.subtractingReportingOverflow(now)
        guard window.magnitude <= RoomHandshake.clockWindow.magnitude else {
            throw Problem(
                .permissionFailure,
                "the timestamp is outside the clock window; use the service's clock, which is \(now)")
        }
        // Takes the same time for any wrong signature.
        let isValid = HMAC<SHA256>.isValidAuthenticationCode(
            Data(signature), authenticating: Data(handshake.signedText.utf8),
            using: SymmetricKey(data: admission.handshakeKey))
        guard isValid else { throw Problem(.permissionFailure, "the signature is not of this room") }
        // Only now, so that nobody else can use up nonces.
        let isFirst = try await store.useNonce(
            nonce, of: handshake.address, rememberedFor: Self.nonceMemory)
        guard isFirst else { throw Problem(.permissionFailure, "this handshake was used before; sign a new nonce") }
        return RoomPass(
            room: handshake.address, handshakeKey: admission.handshakeKey, remaining: admission.remaining, asked: asked)
    }
}
