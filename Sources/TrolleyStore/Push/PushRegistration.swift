package import TrolleyJournal

/// A registration: what a person's program is told of one list by push (WebDAV-Push).
package struct RegistrationID: Identifier {
    package let bits: UUIDBits
    package init(_ bits: UUIDBits) { self.bits = bits }
}

/// What a program asks for.
package struct RegistrationRequest: Sendable {
    package let endpoint: String
    package let keys: PushKeys
    /// The service's origin, as the program reaches it. Push services get it as the contact.
    package let origin: String
    /// Whether the program is told of changes of items.
    package let wantsContent: Bool
    /// Whether it is told of changes of the list's name and colour, and of the person's permission.
    package let wantsProperties: Bool
    package let seconds: Int64

    package init(
        endpoint: String, keys: PushKeys, origin: String, wantsContent: Bool, wantsProperties: Bool, seconds: Int64
    ) {
        self.endpoint = endpoint
        self.keys = keys
        self.origin = origin
        self.wantsContent = wantsContent
        self.wantsProperties = wantsProperties
        self.seconds = seconds
    }
}

/// A registration as it was stored.
package struct PushRegistration: Sendable {
    package let id: RegistrationID
    package let expiresAt: Timestamp
}

/// Registrations that get no message while a request is under way.
package struct RegistrationHold: Sendable {
    let registrations: [RegistrationID]
    /// As PostgreSQL writes it.
    let until: String
}

/// What a message to a registered program says.
package struct CalendarUpdate: Hashable, Sendable, Codable {
    /// Items have changed.
    package var content: Bool
    /// The list's name or colour has changed, or the person's permission.
    package var properties: Bool
    /// The first eight bytes of the epoch's id, as in a change token.
    package var epoch: UInt64

    package init(content: Bool, properties: Bool, epoch: UInt64) {
        self.content = content
        self.properties = properties
        self.epoch = epoch
    }
}

/// How soon messages follow changes, and each other.
package struct RegistrationPacing: Sendable {
    /// Milliseconds from a change to its message, so that what comes together is told together.
    package let combining: Int64
    /// Milliseconds between two messages to one registration.
    package let spacing: Int64

    package init(combining: Int64, spacing: Int64) {
        self.combining = combining
        self.spacing = spacing
    }
}

/// What a look at registrations has done.
package struct RegistrationRound: Sendable {
    /// The number of messages that it has put into the outbox.
    package var told = 0
    /// Lists that must be looked at again soon, because registrations for them are held.
    package var held: Set<ListID> = []
    /// Lists that could not be looked at.
    package var failed: Set<ListID> = []
    /// The first error of these.
    package var failure: StoreError?
    /// Where it has ended because it has looked at enough; nil: at the end.
    package var next: RegistrationID?
}
