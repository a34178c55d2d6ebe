import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

// Devices that the service drives for an integration, such as a voice assistant.

struct HostedRoutes: Sendable {
    let store: Store
    let driving: HostedDriving
    let limits: Limits

    /// The maximum number of hosted devices of an account.
    private static let hostedDevicesPerAccount = 20
    /// How long a request waits for its change to be sent before it answers that the change waits.
    private static let waitLimit = Duration.seconds(2)

    /// Managing an account's hosted devices.
    func addDevices(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/hosted") { request, context -> Response in
            let wanted = try await request.decode(HostedDeviceRequest.self, limits: limits)
            let name = try DisplayName.checked(wanted.name, called: "name")
            let account = try context.session.account
            if let list = wanted.list, try await !store.lists(of: account).contains(where: { $0.id == list }) {
                throw Problem(.listNotFound)
            }
            let secret = Secret()
            let device = try await store.createHostedDevice(
                account: account, name: name, tokenHash: secret.hash, unusable: Secret().hash,
                defaultList: wanted.list, limit: Self.hostedDevicesPerAccount)
            driving.hub.changed(.hosted(account))
            // Fetches the lists now, so that the first request finds them.
            if let session = try await store.hostedSession(device, of: account) {
                _ = await driving.drive(session, .launch, waitLimit: Self.waitLimit)
            }
            guard var made = try await store.hostedDevices(of: account).first(where: { $0.id == device }) else {
                throw StoreError.unknownDevice
            }
            made.token = secret.text
            return try .json(made, status: .created)
        }
        router.get("v1/hosted") { _, context -> Response in
            try .json(HostedDevicesResponse(devices: try await store.hostedDevices(of: context.session.account)))
        }
        router.delete("v1/hosted/:device") { _, context -> Response in
            try await store.deleteHostedDevice(
                context.identifier("device", otherwise: .unknownItem), of: context.session.account)
            return .noContent
        }
    }

    /// The calls of an integration.
    func add(to router: RouterGroup<TrolleyContext>) {
        for (name, operation) in [
            ("add", Operation.add), ("edit", .edit), ("off", .markOff), ("unmark", .unmark), ("delete", .delete),
        ] {
            router.post("\(name)") { request, context -> Response in
                let wanted = try await request.decode(HostedChangeRequest.self, limits: limits)
                let key = HTTPField.Name("Idempotency-Key").flatMap { request.headers[$0] }
                let change = try HostedChange(wanted, operation: operation, key: key, limits: limits)
                let answer = try await perform(change, on: wanted.list, by: context.session)
                return .json(bytes: answer.json)
            }
        }
        router.get("list") { request, context -> Response in
            let name = request.uri.queryParameters.get("list")
            let (queues, list) = try await queues(of: context.session, with: name)
            return .json(bytes: try await queues.shown(list).json)
        }
        router.get("queue") { request, context -> Response in
            let limit = try limits.pageLimit(text: request.uri.queryParameters.get("limit"))
            return .json(bytes: try await queues(of: context.session).queues(limit: limit).json)
        }
        router.get("to-apply") { request, context -> Response in
            let limit = try limits.pageLimit(text: request.uri.queryParameters.get("limit"))
            var waiting = try await queues(of: context.session).toApply(limit: limit)
            waiting.summaries = try await store.summaries(forHosted: context.session)
            return .json(bytes: waiting.json)
        }
        router.post("acknowledge") { request, context -> Response in
            let wanted = try await request.decode(HostedAcknowledgement.self, limits: limits)
            let (queues, summaries) = (queues(of: try context.session), wanted.summaries ?? [])
            guard summaries.allSatisfy({ $0.through >= .start }) else {
                throw Problem(.invalidArguments, "summaries.through must not be negative")
            }
            let count = try await queues.acknowledge(wanted.entries, in: wanted.list)
            try await queues.acknowledge(summaries)
            return try .json(HostedAcknowledged(acknowledged: count))
        }
        router.delete("rejected") { request, context -> Response in
            let through = request.uri.queryParameters.get("through")
            let last = through.flatMap { EntryID($0) }
            if through != nil, last == nil { throw Problem(.invalidArguments, "through must be an entry's id") }
            try await queues(of: context.session).dismissRejected(through: last)
            return .noContent
        }
    }

    private func queues(of session: Session) -> HostedQueueStore {
        HostedQueueStore(store: store, device: session.device, account: session.account)
    }

    /// The device's queues, and the list that the name refers to. If the device doesn't know the list, it syncs first.
    private func queues(of session: Session, with name: String?) async throws -> (HostedQueueStore, ListID) {
        let queues = queues(of: session)
        do throws(HostedChangeError) {
            return (queues, try await queues.list(name))
        } catch .noSuchList {
            _ = await driving.drive(session, .ownChange, waitLimit: Self.waitLimit)
            return (queues, try await queues.list(name))
        }
    }

    /// Makes a change and appends it to the list's journal. If something stood in its way, the change is in the upload
    /// queue, where it is safe, and this tries to send it for a short while.
    private func perform(
        _ change: HostedChange, on name: String?, by session: Session
    ) async throws -> HostedChangeResponse {
        let (queues, list) = try await queues(of: session, with: name)
        let uploads = driving.uploads
        let sending = HostedSending(limits: limits, quotas: uploads.quotas) { uploads.token(for: $1, to: $0) }
        let changed: HostedChangeResult
        do throws(HostedChangeError) {
            changed = try await traced("hosted change") { () async throws(HostedChangeError) in
                try await queues.perform(
                    change, on: list, by: session.account, made: HostedClock.now(), sending: sending)
            }
        } catch .tooManyWaiting {
            // Makes room for the next try.
            _ = await driving.drive(session, .ownChange, waitLimit: Self.waitLimit)
            throw HostedChangeError.tooManyWaiting
        }
        if let appended = changed.appended { uploads.tell(of: appended, to: list, by: session) }
        var waiting = changed.waiting
        if waiting > 0 {
            _ = await driving.drive(session, .ownChange, waitLimit: Self.waitLimit)
            waiting = try await queues.deviceStatus().waiting
        }
        return HostedChangeResponse(
            list: changed.list, entry: changed.entry, item: changed.item, isDuplicate: changed.isDuplicate,
            waiting: waiting)
    }
}

extension HostedChange {
    /// - Throws: `Problem` when a member is missing or not allowed.
    fileprivate init(
        _ wanted: HostedChangeRequest, operation: Operation, key: String?, limits: Limits
    ) throws {
        if let key, !(1...255).contains(key.utf8.count) {
            throw Problem(.invalidArguments, "Idempotency-Key must have 1 to 255 bytes")
        }
        let text = wanted.text?.trimmed
        if text?.isEmpty == true { throw Problem(.invalidArguments, "text must not be empty") }
        var fields = Fields()
        for (key, value) in wanted.fields ?? [:] { fields[key] = value.map(FieldValue.string) ?? .null }
        if !operation.writesFields, !fields.isEmpty {
            throw Problem(.invalidArguments, "fields is only allowed in add and edit")
        }
        var target: Target?
        if operation == .add {
            guard let text else { throw Problem(.invalidArguments, "text is missing: the item to add") }
            guard wanted.item == nil else { throw Problem(.invalidArguments, "item is not allowed in add") }
            // Parse the text as the command line does. If the request has a quantity, the text has none.
            guard let line = ItemLine(text, quantities: fields[Fields.quantity] == nil) else {
                throw Problem(.invalidArguments, "text must name an item")
            }
            for (key, value) in line.fields { fields[key] = value }
        } else {
            guard (wanted.item == nil) != (text == nil) else {
                throw Problem(.invalidArguments, "name the item by either item or text")
            }
            target = wanted.item.map(Target.item) ?? text.map(Target.text)
        }
        if operation == .edit, fields.isEmpty {
            throw Problem(.invalidArguments, "fields is missing: the fields to change")
        }
        if case .string(let text)? = fields[Fields.text], text.trimmed.isEmpty {
            throw Problem(.invalidArguments, "an item can't be without a text")
        }
        if fields.contains(where: { $0.key.utf8.contains(0) || $0.value.string?.utf8.contains(0) == true }) {
            throw Problem(.invalidArguments, "fields must not contain a NUL character")
        }
        if let excess = fields.excess(over: limits) { throw Problem(.limitExceeded, excess, limits: limits) }
        self.init(operation: operation, target: target, fields: fields, entry: wanted.entry, key: key)
    }
}
