import NIOHTTP1
import TrolleyJournal
import TrolleySync
import TrolleyWire

// Calls about people and lists that a person makes. They are never retried automatically.

extension HTTPTransport {
    func createSharedList(_ request: CreateListRequest) async throws(TransportError) -> CreateListResponse {
        try await call(.POST, Path.lists, request)
    }

    func share(of list: ListID) async throws(TransportError) -> ShareResponse {
        try await call(.GET, Path.share(list))
    }

    func invite(_ request: InvitationRequest, to list: ListID) async throws(TransportError) -> InvitationResponse {
        try await call(.POST, Path.invitations(list), request)
    }

    func invitations(to list: ListID) async throws(TransportError) -> [OpenInvitation] {
        let response: InvitationsResponse = try await call(.GET, Path.invitations(list))
        return response.invitations
    }

    func withdraw(_ invitation: InvitationID, to list: ListID) async throws(TransportError) {
        try await send(.DELETE, Path.invitation(invitation, to: list), nil)
    }

    func previewInvitation(_ secret: String) async throws(TransportError) -> InvitationPreview {
        try await call(.POST, Path.previewInvitation, SecretRequest(secret: secret))
    }

    func accept(_ secret: String) async throws(TransportError) -> ListResponse {
        try await call(.POST, Path.accept, SecretRequest(secret: secret))
    }

    func decline(_ secret: String) async throws(TransportError) {
        try await send(.POST, Path.decline, encode(SecretRequest(secret: secret)))
    }

    func remove(_ account: AccountID, from list: ListID) async throws(TransportError) {
        try await send(.DELETE, Path.participant(account, of: list), nil)
    }

    func permit(
        _ permission: Permission, to account: AccountID, on list: ListID
    ) async throws(TransportError) {
        let _: ShareResponse = try await call(
            .PATCH, Path.participant(account, of: list), PermissionRequest(permission: permission))
    }

    func handOver(_ list: ListID, to account: AccountID) async throws(TransportError) {
        let _: ShareResponse = try await call(.PUT, Path.owner(list), OwnerRequest(account: account))
    }

    func stopSharing(_ list: ListID) async throws(TransportError) { try await send(.DELETE, Path.share(list), nil) }

    /// Deletes the account's own list for everybody; leaves somebody else's list.

    func setPresence(_ isPresent: Bool, on list: ListID) async throws(TransportError) -> [Presence] {
        let response: PresenceResponse = try await call(
            .PUT, Path.presence(list), PresenceRequest(present: isPresent))
        return response.presence
    }

    func summaries() async throws(TransportError) -> [SessionSummary] {
        let response: SummariesResponse = try await call(.GET, Path.summaries)
        return response.summaries
    }

    func notificationLevel(of list: ListID) async throws(TransportError) -> NotificationLevel {
        let preference: NotificationPreference = try await call(.GET, Path.notifications(list))
        return preference.level
    }

    func setNotificationLevel(_ level: NotificationLevel, of list: ListID) async throws(TransportError) {
        let _: NotificationPreference = try await call(
            .PUT, Path.notifications(list), NotificationPreference(level: level))
    }

    func lists() async throws(TransportError) -> ListsResponse { try await call(.GET, Path.lists) }

    func markRead(_ list: ListID, through: SequenceNumber) async throws(TransportError) -> SequenceNumber {
        let response: ReadPosition = try await call(.PUT, Path.read(list), ReadPosition(through: through))
        return response.through
    }

    func changePlace(_ request: ChangePlaceRequest, of list: ListID) async throws(TransportError) -> ListPlace {
        try await call(.PATCH, Path.place(list), request)
    }
}
