public import TrolleyJournal

/// The paths of all calls, for clients. The service's router has them again, as patterns.
public enum Path {
    public static let accounts = "/v1/accounts"
    public static let account = "/v1/account"
    public static let accountPassword = "/v1/account/password"
    public static let accountEmail = "/v1/account/email"
    public static let emailCodes = "/v1/email-codes"
    public static let password = "/v1/password"
    public static let sessions = "/v1/sessions"
    public static let session = "/v1/session"
    public static let devices = "/v1/devices"
    public static let lists = "/v1/lists"
    public static let changes = "/v1/changes"
    public static let events = "/v1/events"
    public static let config = "/v1/config"
    public static let hosted = "/v1/hosted"
    public static let summaries = "/v1/summaries"
    public static let pushKey = "/v1/push/key"
    public static let pushSubscription = "/v1/push/subscription"
    public static let webhooks = "/v1/webhooks"
    public static func webhook(_ webhook: WebhookID) -> String { "\(webhooks)/\(webhook)" }
    public static let tokens = "/v1/tokens"
    public static func token(_ token: DeviceID) -> String { "\(tokens)/\(token)" }
    public static let diagnostics = "/v1/diagnostics"
    public static let operatorOverview = "/v1/operator"
    public static let operatorDiagnostics = "/v1/operator/diagnostics"
    public static let export = "/v1/export"
    /// Where assistants' programs use the lists, by the Model Context Protocol.
    public static let assistant = "/mcp"

    public static func device(_ device: DeviceID) -> String { "\(devices)/\(device)" }
    public static func list(_ list: ListID) -> String { "\(lists)/\(list)" }
    public static func entries(_ list: ListID) -> String { "\(lists)/\(list)/entries" }
    public static func changes(_ list: ListID) -> String { "\(lists)/\(list)/changes" }
    public static func state(_ list: ListID) -> String { "\(lists)/\(list)/state" }
    public static func activity(_ list: ListID) -> String { "\(lists)/\(list)/activity" }
    public static func restoration(_ list: ListID) -> String { "\(lists)/\(list)/restoration" }
    public static func replay(_ list: ListID) -> String { "\(lists)/\(list)/replay" }
    public static func share(_ list: ListID) -> String { "\(lists)/\(list)/share" }
    public static func invitations(_ list: ListID) -> String { "\(lists)/\(list)/invitations" }
    public static func invitation(_ invitation: InvitationID, to list: ListID) -> String {
        "\(invitations(list))/\(invitation)"
    }
    public static func owner(_ list: ListID) -> String { "\(lists)/\(list)/owner" }
    public static func presence(_ list: ListID) -> String { "\(lists)/\(list)/presence" }
    public static func hails(_ list: ListID) -> String { "\(lists)/\(list)/hails" }
    public static func hail(_ hail: HailID, on list: ListID) -> String { "\(hails(list))/\(hail)" }
    /// A WebSocket without a room, for hints; rooms may be joined on it later.
    public static let socket = "/v1/socket"
    /// A WebSocket in a room; the handshake is the query.
    public static func roomSocket(_ room: RoomID) -> String { "/rooms/\(room)/socket" }
    public static func place(_ list: ListID) -> String { "\(lists)/\(list)/place" }
    public static func read(_ list: ListID) -> String { "\(lists)/\(list)/read" }
    public static func notifications(_ list: ListID) -> String { "\(lists)/\(list)/notifications" }
    public static func messages(_ list: ListID) -> String { "\(lists)/\(list)/messages" }
    public static func deletedMessages(_ list: ListID) -> String { "\(messages(list))/deleted" }
    public static func readMessages(_ list: ListID) -> String { "\(messages(list))/read" }
    public static func participant(_ account: AccountID, of list: ListID) -> String {
        "\(lists)/\(list)/participants/\(account)"
    }
    // An invitation's secret goes in the body, because proxies log paths.
    public static let previewInvitation = "/v1/invitations/look"
    public static let accept = "/v1/invitations/accept"
    public static let decline = "/v1/invitations/decline"
    /// The page that an invitation's link opens; the secret is in the fragment.
    public static let join = "/join"
}
