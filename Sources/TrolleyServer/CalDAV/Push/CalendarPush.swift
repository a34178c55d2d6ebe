import Crypto
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// WebDAV-Push (draft-bitfire-webdav-push-00) for CalDAV clients.
struct CalendarPush: Sendable {
    let identities: PushIdentitySource
    let settings: PushSettings

    /// The longest and the default time for which a program is registered, in seconds.
    static let longest: Int64 = 7 * 86_400

    /// The token of the header `DAV`.
    static let complianceClass = "webdav-push"

    /// The service's public key for push services; nil while the database has none and takes no changes. Then lists don't
    /// offer push.
    func key() async -> String? {
        do throws(StoreError) { return try await identities.identity().publicKey } catch { return nil }
    }
}

/// The properties of push that a list has for one account's programs.
struct PushOffer: Sendable {
    let key: String
    let account: AccountID
    let tokenKey: ChangeToken.Key

    /// nil: no property of push.
    func value(_ name: XMLName, of list: ListID) -> CalendarProperties.Value? {
        switch name {
        case .push("transports"):
            return { writer in
                writer.element(.push("web-push")) { writer in
                    writer.element(.push("vapid-public-key"), [("type", "p256ecdsa")]) { $0.write(key) }
                }
            }
        case .push("topic"):
            return { $0.write(PushTopic.text(of: list, for: account, key: tokenKey)) }
        case .push("supported-triggers"):
            return { writer in
                for (trigger, depth) in [("content-update", "1"), ("property-update", "0")] {
                    writer.element(.push(trigger)) { $0.element(.dav("depth"), depth) }
                }
            }
        default: return nil
        }
    }
}

/// The name of a list in push messages: 16 bytes of HMAC-SHA256 over the account and the list, under the key that
/// authenticates change tokens. So it stays the same after a restore, and nobody else can compute it. It differs for each
/// person on a list, because a phone may have the accounts of two people.
enum PushTopic {
    /// Separates topics from other codes under the same key.
    private static let purpose = Array("trolley push topic".utf8)

    static func text(of list: ListID, for account: AccountID, key: ChangeToken.Key) -> String {
        var code = key
        code.update(data: purpose + account.bits.bytes + list.bits.bytes)
        return Base64URL.encode(Array(code.finalize().prefix(16)))
    }
}

extension XMLName {
    static let pushNamespace = "https://bitfire.at/webdav-push"

    static func push(_ local: String) -> XMLName { XMLName(namespace: pushNamespace, local: local) }
}
