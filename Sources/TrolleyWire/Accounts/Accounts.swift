public import TrolleyJournal

/// `POST /v1/accounts`.
public struct SignUpRequest: Hashable, Sendable, Codable {
    public var email: String
    public var name: String
    /// 8 to 200 characters.
    public var password: String
    /// Where sign-up needs one (`registration` in `GET /v1/config`): the secret of an invitation to a list, or a code that
    /// the service's operator has made.
    public var invitation: String?
    /// Shows that the address is this person's: what `POST /v1/email-codes` sent there. An account that has the address and
    /// never showed so gives it up.
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

/// Who may sign up.
public enum Registration: String, CaseIterable, Hashable, Sendable, Codable {
    /// Everybody.
    case open
    /// Whoever has an invitation to a list, or a code that the operator has made.
    case invitation
    /// Nobody.
    case closed
}

extension Registration: LosslessStringConvertible {
    public init?(_ description: String) { self.init(rawValue: description) }

    public var description: String { rawValue }
}

/// `DELETE /v1/account`.
public struct DeleteAccountRequest: Hashable, Sendable, Codable {
    /// The account's, asked for again: a device that lies open must not be enough.
    public var password: String?
    /// In place of the password, for somebody who signs in by an identity provider: a token of theirs.
    public var identityToken: String?

    public init(password: String? = nil, identityToken: String? = nil) {
        self.password = password
        self.identityToken = identityToken
    }
}

/// A person, as they see themselves.
public struct AccountResponse: Hashable, Sendable, Codable {
    public var id: AccountID
    public var email: String
    public var name: String
    public var createdAt: Timestamp
    /// Whether somebody has shown that the address is theirs; nil from a service that doesn't say.
    public var emailVerified: Bool?

    public init(
        id: AccountID, email: String, name: String, createdAt: Timestamp, emailVerified: Bool? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.createdAt = createdAt
        self.emailVerified = emailVerified
    }
}

/// `POST /v1/sessions`: signs in, which makes a device.
public struct SignInRequest: Hashable, Sendable, Codable {
    public var email: String
    public var password: String
    /// What the person calls the device; the service has a name for it when absent.
    public var deviceName: String?

    public init(email: String, password: String, deviceName: String? = nil) {
        self.email = email
        self.password = password
        self.deviceName = deviceName
    }
}

public struct SessionResponse: Hashable, Sendable, Codable {
    /// The device's bearer token: 256 bits in base64url. It is told once and stored only as a hash.
    public var token: String
    public var account: AccountResponse
    public var device: DeviceResponse

    public init(token: String, account: AccountResponse, device: DeviceResponse) {
        self.token = token
        self.account = account
        self.device = device
    }
}

/// One installation of a person's.
public struct DeviceResponse: Hashable, Sendable, Codable {
    public var id: DeviceID
    public var name: String
    public var createdAt: Timestamp
    public var lastSeenAt: Timestamp
    /// Whether it is the device that asks.
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
