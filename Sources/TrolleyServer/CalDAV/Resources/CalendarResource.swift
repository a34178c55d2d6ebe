import Crypto
import TrolleyJournal
import TrolleyStore

/// What an address below `/dav/` names.
enum CalendarResource: Hashable, Sendable {
    case root
    case principal(AccountID)
    /// The account's lists.
    case home
    /// A list, by the part of the path: its id, or the name that a client chose in MKCALENDAR.
    case list(String)
    /// An item, by its list's part and its own.
    case item(String, String)
    /// A registration for push messages.
    case registration(RegistrationID)

    static let rootPath = "/dav/"
    static let homePath = "/dav/lists/"
    static func principalPath(_ account: AccountID) -> String { "/dav/principals/\(account)/" }

    /// - Parameter path: as in a request or an href; an absolute URL, too.
    /// - Returns: nil if it names nothing of this kind.
    init?(_ path: String) {
        var path = path[...]
        if path.hasPrefix("http://") || path.hasPrefix("https://") {
            guard let slashes = path.firstRange(of: "://"),
                let slash = path[slashes.upperBound...].firstIndex(of: "/")
            else { return nil }
            path = path[slash...]
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        var parts: [String] = []
        for part in path.split(separator: "/") {
            guard let decoded = String(percentEncoded: part), !decoded.contains("/"), decoded != ".", decoded != ".."
            else { return nil }
            parts.append(decoded)
        }
        guard parts.first == "dav" else { return nil }
        switch (parts.count, parts.dropFirst().first) {
        case (1, nil): self = .root
        case (3, "principals"?):
            guard let account = AccountID(parts[2]) else { return nil }
            self = .principal(account)
        case (2, "lists"?): self = .home
        case (3, "lists"?): self = .list(parts[2])
        case (4, "lists"?): self = .item(parts[2], parts[3])
        case (3, "push"?):
            guard let registration = RegistrationID(parts[2]) else { return nil }
            self = .registration(registration)
        default: return nil
        }
    }

    static func path(ofList part: String) -> String { homePath + part.percentEncoded + "/" }
    static func path(ofItem name: String, in part: String) -> String { path(ofList: part) + name.percentEncoded }
    static func path(of registration: RegistrationID) -> String { "/dav/push/\(registration)" }
}

extension ListID {
    /// The ids that a list may have whose client chose a name for it which is no UUID. The next one is taken when the one
    /// before was deleted, because an id stays taken for ever.
    static func candidates(for name: String, of account: AccountID) -> [ListID] {
        if let id = ListID(name) { return [id] }
        return (0..<32).map { generation in
            ListID(UUIDBits(hashing: account.bits.bytes + [UInt8(generation)] + Array(name.utf8)))
        }
    }
}

extension ItemID {
    /// The id of an item whose client chose the UID. The same UID always has the same item, so a repeated PUT adds nothing.
    init(uid: String, in list: ListID) {
        if let bits = UUIDBits(uid), bits != UUIDBits(high: 0, low: 0) {
            self.init(bits)
        } else {
            self.init(UUIDBits(hashing: list.bits.bytes + Array(uid.utf8)))
        }
    }
}

extension UUIDBits {
    /// A UUIDv8 (RFC 9562 §5.8) of SHA-256.
    fileprivate init(hashing bytes: [UInt8]) {
        let hash = Array(SHA256.hash(data: bytes))
        func word(_ start: Int) -> UInt64 { hash[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(
            high: word(0) & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: word(8) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

extension String {
    /// - Returns: nil if it isn't percent-encoded UTF-8.
    fileprivate init?(percentEncoded text: some StringProtocol) {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // A sign is no digit, though a number may have one.
            guard let high = iterator.next().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }),
                let low = iterator.next().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }), high + low > 0
            else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
        self = decoded
    }

    /// As a segment of a path (RFC 3986 §3.3).
    fileprivate var percentEncoded: String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~@!$'()*,;=:+".utf8)
        var result = ""
        for byte in utf8 {
            if plain.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                result += "%" + (hex.utf8.count == 1 ? "0" : "") + hex
            }
        }
        return result
    }
}
