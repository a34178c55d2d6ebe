public import TrolleyJournal

/// `POST /v1/accounts`.
public struct SignUpRequest: Hashable, Sendable, Codable {
    public var email: String
    public var name: String
    /// 8 to 200 characters.
    public var password: String
    /// The secret of an invitation to a list, or an operator's code, where sign-up needs one (`registration` in `GET
    /// /v1/config`).
    public var invitation: String?
    /// The code that `POST /v1/email-codes` mailed to the address: it proves that the address is this person's. Another
    /// account that has the same, unverified address loses it.
    public var emailCode: String?

    public init(
        email: String, name: String, password: String, invitation: String? = nil, emailCode: String? = nil
    ) {
        self.email = email
        self.name = name
        self.password = password
        self.invitation = invitation
        self.emailCode = emailCode
    }
}

/// The rule for signing up.
public enum Registration: String, CaseIterable, Hashable, Sendable, Codable {
    /// Everybody.
    case open
    /// Everybody with an invitation to a list, or with an operator's code.
    case invitation
    /// Nobody.
    case closed
}

extension Registration: LosslessStringConvertible {
    public init?(_ description: String) { self.init(rawValue: description) }

    public var description: String { rawValue }
}

/// `PATCH /v1/account`: changes how the person appears to others.
public struct ChangeAccountRequest: Hashable, Sendable, Codable {
    /// The person's new name, 1 to 100 characters; nil: it stays.
    public var name: String?
    /// The colour of the person's picture, at most 40 characters that the apps understand; empty: the apps choose one;
    /// nil: it stays.
    public var colour: String?

    public init(name: String? = nil, colour: String? = nil) {
        self.name = name
        self.colour = colour
    }
}

/// `DELETE /v1/account`.
public struct DeleteAccountRequest: Hashable, Sendable, Codable {
    /// The account's password, asked for again so that an unlocked device alone is not enough.
    public var password: String?
    /// Instead of the password, for a person who signs in by an identity provider: a token of that provider.
    public var identityToken: String?

    public init(password: String? = nil, identityToken: String? = nil) {
        self.password = password
        self.identityToken = identityToken
    }
}

/// `POST /v1/sessions`: signs in and creates a device.
public struct SignInRequest: Hashable, Sendable, Codable {
    public var email: String
    public var password: String
    /// The person's name for the device; the service chooses one when absent.
    public var deviceName: String?

    public init(email: String, password: String, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.deviceName = deviceName
    }
}

public struct SessionResponse: Hashable, Sendable, Codable {
    /// The device's bearer token: 256 bits in base64url. It appears only in this answer; the service stores a hash.
    public var token: String
    public var account: AccountResponse
    public var device: DeviceResponse

    public init(token: String, account: AccountResponse, device: DeviceResponse) {
        self.token = token
        self.account = account
        self.device = device
    }
}

/// A device of an account.
public struct DeviceResponse: Hashable, Sendable, Codable {
    public var id: DeviceID
    public var name: String
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    /// Whether this device sent the request.
    public var current: Bool

    public init(id: DeviceID, name: String, createdAt: Timestamp, lastSeenAt: Timestamp, current: Bool) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.current = current
    }
}

/// `GET /v1/devices`.
public struct DevicesResponse: Hashable, Sendable, Codable {
    public var devices: [DeviceResponse]

    public init(devices: [DeviceResponse]) { self.devices = devices }
}
