public import TrolleyJournal

/// What a person wants to be told, and where, in the file that ``Export`` describes. It has no keys and no secrets, so an
/// import doesn't use it.
public struct ExportedNotifications: Hashable, Sendable {
    /// A push subscription without its keys.
    public struct Subscription: Hashable, Sendable {
        /// The device to whose session it belongs.
        public var device: DeviceID
        /// The push service's host. The rest of the address is a secret of the browser.
        public var host: String
        public var content: Bool
        public var language: String?
        public var createdAt: Timestamp
        public var failing: Bool

        public init(
            device: DeviceID, host: String, content: Bool, language: String?, createdAt: Timestamp, failing: Bool
        ) {
            self.device = device
            self.host = host
            self.content = content
            self.language = language
            self.createdAt = createdAt
            self.failing = failing
        }
    }

    /// A program that is told of lists by push (WebDAV-Push), without its keys.
    public struct Program: Hashable, Sendable {
        /// The personal token that it uses.
        public var device: DeviceID
        /// The push service's host.
        public var host: String
        public var createdAt: Timestamp
        public var failing: Bool

        public init(device: DeviceID, host: String, createdAt: Timestamp, failing: Bool) {
            self.device = device
            self.host = host
            self.createdAt = createdAt
            self.failing = failing
        }
    }

    /// What the person has chosen for a list.
    public struct Choice: Hashable, Sendable {
        public var list: ListID
        public var level: NotificationLevel

        public init(list: ListID, level: NotificationLevel) {
            self.list = list
            self.level = level
        }
    }

    /// Without their secrets.
    public var webhooks: [WebhookResponse]
    public var subscriptions: [Subscription]
    public var programs: [Program]
    /// Lists that are missing have the default level.
    public var levels: [Choice]

    public init(
        webhooks: [WebhookResponse], subscriptions: [Subscription], programs: [Program], levels: [Choice]
    ) {
        self.webhooks = webhooks
        self.subscriptions = subscriptions
        self.programs = programs
        self.levels = levels
    }

    func write(to writer: inout JSONWriter) {
        writer.member("webhooks", webhooks) { webhook, writer in
            writer.member("id", webhook.id)
            writer.member("url", webhook.url)
            writer.member("content", webhook.content)
            writer.member("createdAt", webhook.createdAt)
            writer.member("failing", webhook.failing)
        }
        writer.member("pushSubscriptions", subscriptions) { subscription, writer in
            writer.member("device", subscription.device)
            writer.member("host", subscription.host)
            writer.member("content", subscription.content)
            writer.member("language", ifAny: subscription.language)
            writer.member("createdAt", subscription.createdAt)
            writer.member("failing", subscription.failing)
        }
        writer.member("programs", programs) { program, writer in
            writer.member("device", program.device)
            writer.member("host", program.host)
            writer.member("createdAt", program.createdAt)
            writer.member("failing", program.failing)
        }
        writer.member("levels", levels) { choice, writer in
            writer.member("list", choice.list)
            writer.member("level", choice.level.rawValue)
        }
    }
}
