package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

// Push subscriptions and webhooks.

extension Store {
    /// The private key by which push services know this service. All processes have the same.
    /// - Parameter candidate: the key to store if there is none: 32 bytes.
    package func pushKey(otherwise candidate: [UInt8]) async throws(StoreError) -> [UInt8] {
        func key() async throws(StoreError) -> [UInt8]? {
            try await one(PushSQL.key) { row throws(PostgresError) in try row.decode([UInt8]?.self, at: 0) }
        }
        if let key = try await key() { return key }
        try await execute(PushSQL.makeKey, [candidate])
        guard let key = try await key() else {
            throw .database(PostgresError(.decoding, "the service's row is missing"))
        }
        return key
    }

    /// Subscribes the browser of a session, or replaces its subscription. An earlier session in the same browser loses
    /// its subscription.
    /// - Parameters:
    ///   - app: the origin of the web app, which a notification opens.
    ///   - withContent: whether notifications say what has happened.
    ///   - language: a language tag; nil: English.
    /// - Throws: `.tooManySubscriptions`.
    package func subscribe(
        _ session: Session, to endpoint: String, keys: PushKeys, app: String, withContent: Bool,
        language: String? = nil
    ) async throws(StoreError) {
        let id = WebhookID.version7(at: .now, random: RandomBits.random)
        try await transaction { connection in
            let answers = try await connection.pipeline([
                .execute(AccountSQL.lock, [session.account]),
                .execute(PushSQL.lockDevice, [session.device]),
                .execute(PushSQL.endElsewhere, [session.device, endpoint]),
                .execute(PushSQL.countSubscriptions, [session.account, session.device]),
            ])
            guard try answers[3][0].decode(Int64.self, at: 0) < Int64(PushLimits.subscriptionsPerAccount) else {
                throw StoreError.tooManySubscriptions
            }
            try await connection.execute(
                PushSQL.subscribe,
                [
                    id, session.device, endpoint, keys.publicKey, keys.secret, app, withContent, language,
                    nil as Int64?,
                ])
        }
        await beginAlerts(for: session.account)
    }

    /// Ends the subscription of a session's browser. Repeating the call changes nothing.
    package func endSubscription(of session: Session) async throws(StoreError) {
        try await execute(PushSQL.endSubscription, [session.device])
    }

    /// Makes a webhook.
    /// - Parameter secret: the key that signs its messages: 32 bytes.
    /// - Throws: `.tooManyWebhooks`.
    package func createWebhook(
        of account: AccountID, url: String, secret: [UInt8], withContent: Bool
    ) async throws(StoreError) -> WebhookResponse {
        let id = WebhookID.version7(at: .now, random: RandomBits.random)
        let webhook = try await transaction { connection in
            // Two calls at the same time are both counted.
            let answers = try await connection.pipeline([
                .execute(AccountSQL.lock, [account]), .execute(PushSQL.countWebhooks, [account]),
            ])
            guard try answers[1][0].decode(Int64.self, at: 0) < Int64(PushLimits.webhooksPerAccount) else {
                throw StoreError.tooManyWebhooks
            }
            let rows = try await connection.execute(
                PushSQL.insertWebhook, [id, account, url, secret, withContent])
            return try WebhookResponse(row: rows[0])
        }
        await beginAlerts(for: account)
        return webhook
    }

    /// The webhooks of an account, oldest first.
    package func webhooks(of account: AccountID) async throws(StoreError) -> [WebhookResponse] {
        try await all(PushSQL.webhooks, [account], WebhookResponse.init(row:))
    }

    /// What an account wants to be told, and where, without secrets.
    func exportedNotifications(of account: AccountID) async throws(StoreError) -> ExportedNotifications {
        ExportedNotifications(
            webhooks: try await webhooks(of: account),
            subscriptions: try await all(
                PushSQL.subscriptions, [account], ExportedNotifications.Subscription.init(row:)),
            programs: try await all(PushSQL.programs, [account], ExportedNotifications.Program.init(row:)),
            levels: try await all(SummarySQL.levels, [account]) { row throws(PostgresError) in
                let (list, level) = try row.decode((ListID, NotificationLevel).self)
                return ExportedNotifications.Choice(list: list, level: level)
            })
    }

    /// Deletes a webhook with its deliveries.
    /// - Throws: `.unknownWebhook`.
    package func deleteWebhook(_ webhook: WebhookID, of account: AccountID) async throws(StoreError) {
        let deleted = try await execute(PushSQL.deleteWebhook, [webhook, account])
        if deleted.isEmpty { throw .unknownWebhook }
    }
}

extension WebhookResponse {
    fileprivate init(row: Row) throws(PostgresError) {
        let (id, url, content, createdAt, failing) = try row.decode((WebhookID, String, Bool, Timestamp, Bool).self)
        self.init(id: id, url: url, content: content, createdAt: createdAt, failing: failing)
    }
}

extension ExportedNotifications.Subscription {
    fileprivate init(row: Row) throws(PostgresError) {
        let (device, url, content, language, createdAt, failing) = try row.decode(
            (DeviceID, String, Bool, String?, Timestamp, Bool).self)
        self.init(
            device: device, host: PushTarget.host(of: url), content: content, language: language,
            createdAt: createdAt, failing: failing)
    }
}

extension ExportedNotifications.Program {
    fileprivate init(row: Row) throws(PostgresError) {
        let (device, url, createdAt, failing) = try row.decode((DeviceID, String, Timestamp, Bool).self)
        self.init(device: device, host: PushTarget.host(of: url), createdAt: createdAt, failing: failing)
    }
}
