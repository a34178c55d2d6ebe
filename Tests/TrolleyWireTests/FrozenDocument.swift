import FoundationEssentials
import Testing
import TrolleyJournal
import TrolleyWire

/// A kind of message, and the functions that read and write it.
struct FrozenDocument: Sendable, CustomTestStringConvertible {
    /// The file in `Frozen/`, without `.json`.
    let name: String
    let rewrite: @Sendable ([UInt8]) throws -> [UInt8]

    var testDescription: String { name }

    /// The file's content.
    var bytes: [UInt8] {
        get throws {
            let data = try Data(contentsOf: Self.directory.appending(path: "\(name).json"))
            return Array(data.filter { $0 != UInt8(ascii: "\n") })
        }
    }

    static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Frozen")

    /// The names of all files.
    static var namesOnDisk: Set<String> {
        get throws {
            Set(
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
                    .map { String($0.split(separator: ".")[0]) })
        }
    }
}

extension FrozenDocument {
    /// A message with a codec by hand.
    static func byHand(_ name: String, _ rewrite: @escaping @Sendable ([UInt8]) throws -> [UInt8]) -> FrozenDocument {
        FrozenDocument(name: name, rewrite: rewrite)
    }

    /// A `Codable` message, with sorted keys.
    static func codable<Message: Codable & SendableMetatype>(_ name: String, _ type: Message.Type) -> FrozenDocument {
        FrozenDocument(name: name) { bytes in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(try JSONDecoder().decode(type, from: Data(bytes))))
        }
    }

    private static func entry(_ name: String) -> FrozenDocument {
        byHand(name) { bytes in
            let entry = try JSONReader.read(bytes) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
            var writer = JSONWriter()
            entry.write(to: &writer)
            return writer.bytes
        }
    }

    private static func upload(_ name: String) -> FrozenDocument {
        byHand(name) { bytes in
            let body = try UploadBody(json: bytes, limits: Limits())
            let entries = body.items.compactMap { item in if case .valid(let entry) = item { entry } else { nil } }
            return UploadRequest(entries: entries, atomic: body.atomic, validateOnly: body.validateOnly).json
        }
    }

    static let all: [FrozenDocument] =
        [
            "add", "add-unknown-fields", "edit", "markOff", "unmark", "move", "move-to-top", "delete", "renameList",
            "recolourList", "message", "deleteMessage", "react", "unreact", "pin", "unpin", "unknown",
        ].map { entry("entry-\($0)") }
        + [
            byHand("pending-entry") { bytes in
                let entry = try JSONReader.read(bytes) { reader throws(WireError) in try JournalEntry(from: &reader) }
                var writer = JSONWriter()
                entry.write(to: &writer)
                return writer.bytes
            },
            upload("upload-request"),
            upload("upload-request-atomic"),
            codable("upload-response", UploadResponse.self),
            codable("upload-response-partial", UploadResponse.self),
            byHand("upload-response") { try UploadResponse(json: $0).json },
            byHand("upload-response-partial") { try UploadResponse(json: $0).json },
            byHand("changes-page") { try ChangesPage(json: $0).json },
            byHand("changes-page-empty") { try ChangesPage(json: $0).json },
            codable("all-changes-request", AllChangesRequest.self),
            codable("all-changes-request-report", AllChangesRequest.self),
            codable("all-changes-request-version", AllChangesRequest.self),
            byHand("all-changes-response") { try AllChangesResponse(json: $0).json },
            byHand("all-changes-response-version") { try AllChangesResponse(json: $0).json },
            byHand("activity-page") { try ActivityPage(json: $0).json },
            codable("config", ConfigResponse.self),
            byHand("problem-limitExceeded") { try Problem(json: $0).json },
            byHand("problem-listDeleted") { try Problem(json: $0).json },
            codable("problem", Problem.self),
            codable("problem-limitExceeded", Problem.self),
            codable("problem-listDeleted", Problem.self),
            codable("problem-serviceUnavailable", Problem.self),
            codable("sign-up-request", SignUpRequest.self),
            codable("account", AccountResponse.self),
            codable("sign-in-request", SignInRequest.self),
            codable("session", SessionResponse.self),
            codable("devices", DevicesResponse.self),
            codable("create-list-request", CreateListRequest.self),
            codable("list", ListResponse.self),
            codable("lists", ListsResponse.self),
            codable("invitation-request", InvitationRequest.self),
            codable("invitation-request-link", InvitationRequest.self),
            codable("invitation", InvitationResponse.self),
            codable("account-verified", AccountResponse.self),
            codable("sign-up-request-emailCode", SignUpRequest.self),
            codable("email-code-request", EmailCodeRequest.self),
            codable("change-email-request", ChangeEmailRequest.self),
            codable("config-mail", ConfigResponse.self),
            codable("change-password-request", ChangePasswordRequest.self),
            codable("reset-password-request", ResetPasswordRequest.self),
            codable("password-response", PasswordResponse.self),
            codable("config-sessionIdle", ConfigResponse.self),
            codable("secret-request", SecretRequest.self),
            codable("invitation-preview", InvitationPreview.self),
            codable("invitation-preview-items", InvitationPreview.self),
            codable("share", ShareResponse.self),
            codable("share-people", ShareResponse.self),
            codable("create-list-request-ownership", CreateListRequest.self),
            codable("list-owned", ListResponse.self),
            byHand("all-changes-response-unreachable") { try AllChangesResponse(json: $0).json },
            byHand("all-changes-response-ownership") { try AllChangesResponse(json: $0).json },
            codable("create-list-request-share", CreateListRequest.self),
            codable("create-list-response", CreateListResponse.self),
            codable("invitations", InvitationsResponse.self),
            codable("presence", PresenceResponse.self),
            codable("presence-request", PresenceRequest.self),
            codable("presence-request-lease", PresenceRequest.self),
            codable("share-received", ShareResponse.self),
            codable("summaries", SummariesResponse.self),
            codable("notification-preference", NotificationPreference.self),
            codable("read-through", ReadPosition.self),
            codable("deleted-messages", DeletedMessages.self),
            codable("read-messages-request", ReadMessagesRequest.self),
            codable("owner-request", OwnerRequest.self),
            codable("permission-request", PermissionRequest.self),
            codable("delete-account-request", DeleteAccountRequest.self),
            codable("sign-up-request-invitation", SignUpRequest.self),
            codable("config-registration", ConfigResponse.self),
            byHand("activity-page-people") { try ActivityPage(json: $0).json },
        ]
}
