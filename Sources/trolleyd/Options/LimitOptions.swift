import ArgumentParser
import NIOCore
import TrolleyServer
import TrolleyWire

/// Limits on rates, quotas, sizes and times. For a rate or a quota, 0 removes the limit.
struct LimitOptions: ParsableArguments {
    @Option(help: "Requests a minute from all devices of one account; 0: no limit. (default: 6000)")
    var requestsPerMinuteByAccount: Int?

    @Option(help: "Requests a minute from one device; 0: no limit. (default: 3000)")
    var requestsPerMinuteByDevice: Int?

    @Option(help: "Requests a minute from one address (IPv6: one /64 network); 0: no limit. (default: 60000)")
    var requestsPerMinuteByAddress: Int?

    @Option(
        help: "Sign-ups, sign-ins and wrong invitations an hour from one address; 0: no limit. (default: 3600)"
    )
    var attemptsPerHourByAddress: Int?

    @Option(help: "Sign-ups and sign-ins an hour for one email address; 0: no limit. (default: 60)")
    var attemptsPerHourByEmail: Int?

    @Option(help: "Mails with a code an hour that one address requests; 0: no limit. (default: 10)")
    var mailsPerHourByAddress: Int?

    @Option(help: "Mails with a code an hour in total; 0: no limit. (default: 200)")
    var mailsPerHour: Int?

    @Option(help: "Event streams of one device at the same time; 0: no limit. (default: 4)")
    var streamsPerDevice: Int?

    @Option(help: "Event streams of all devices of one account at the same time; 0: no limit. (default: 100)")
    var streamsPerAccount: Int?

    @Option(
        help: "Entries in a list's journal, not counting compressed ones; 0: no limit. (default: 50000)")
    var entriesPerList: Int?

    @Option(help: "Lists that one account owns; 0: no limit. (default: 1000)")
    var listsPerAccount: Int?

    @Option(help: "Devices on which one account is signed in; 0: no limit. (default: 100)")
    var devicesPerAccount: Int?

    @Option(help: "Entries in one upload. (default: 400)")
    var entriesPerRequest: Int?

    @Option(help: "Bytes in the body of one request. (default: 2097152)")
    var bytesPerRequest: Int?

    @Option(help: "Changes in one page. (default: 5000)")
    var changesPerPage: Int?

    @Option(help: "People on one list. (default: 100)")
    var participantsPerList: Int?

    @Option(help: "Connections at the same time. (default: 10000)")
    var connections: Int?

    @Option(help: "Connections from one address at the same time (IPv6: one /64 network). (default: 1000)")
    var connectionsByAddress: Int?

    @Option(help: "How long the head of a request may take to arrive. (default: 20s)")
    var headTimeout: Age?

    @Option(help: "How long the body of a request may take to arrive. (default: 2m)")
    var bodyTimeout: Age?

    @Option(help: "How long a connection may wait for its next request. (default: 2m)")
    var idleTimeout: Age?

    @Option(help: "How long a response may make no progress because the client doesn't read it. (default: 1m)")
    var writeTimeout: Age?

    @Option(help: "Maximum queued password hashes; beyond it the answer is serviceUnavailable. (default: 50)")
    var waitingPasswords: Int?

    @Option(
        help: "MiB that must be free on the database's disk for changes to be accepted; 0: no minimum. (default: 128)")
    var minimumFreeSpace: Int?

    @OptionGroup var memory: MemoryOptions

    func apply(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        let rates = Rates()
        configuration.rates = Rates(
            requestsPerMinuteByAccount: try unlimited(
                requestsPerMinuteByAccount, "requests.per.minute.by.account", settings,
                rates.requestsPerMinuteByAccount),
            requestsPerMinuteByDevice: try unlimited(
                requestsPerMinuteByDevice, "requests.per.minute.by.device", settings, rates.requestsPerMinuteByDevice),
            requestsPerMinuteByAddress: try unlimited(
                requestsPerMinuteByAddress, "requests.per.minute.by.address", settings,
                rates.requestsPerMinuteByAddress),
            attemptsPerHourByAddress: try unlimited(
                attemptsPerHourByAddress, "attempts.per.hour.by.address", settings, rates.attemptsPerHourByAddress),
            attemptsPerHourByEmail: try unlimited(
                attemptsPerHourByEmail, "attempts.per.hour.by.email", settings, rates.attemptsPerHourByEmail),
            mailsPerHourByAddress: try unlimited(
                mailsPerHourByAddress, "mails.per.hour.by.address", settings, rates.mailsPerHourByAddress),
            mailsPerHour: try unlimited(mailsPerHour, "mails.per.hour", settings, rates.mailsPerHour),
            streamsPerDevice: try unlimited(
                streamsPerDevice, "streams.per.device", settings, rates.streamsPerDevice),
            streamsPerAccount: try unlimited(
                streamsPerAccount, "streams.per.account", settings, rates.streamsPerAccount))
        let quotas = Quotas()
        configuration.quotas = Quotas(
            entriesPerList: try unlimited(entriesPerList, "entries.per.list", settings, quotas.entriesPerList),
            listsPerAccount: try unlimited(listsPerAccount, "lists.per.account", settings, quotas.listsPerAccount),
            devicesPerAccount: try unlimited(
                devicesPerAccount, "devices.per.account", settings, quotas.devicesPerAccount),
            bytesPerList: try unlimited(memory.bytesPerList, "bytes.per.list", settings, quotas.bytesPerList),
            bytesPerAccount: try unlimited(
                memory.bytesPerAccount, "bytes.per.account", settings, quotas.bytesPerAccount))
        configuration.bodyBytes = try positive(
            memory.memoryForBodies, "memory.for.bodies", settings, configuration.bodyBytes)
        configuration.unsentResponseBytes = try positive(
            memory.memoryForAnswers, "memory.for.answers", settings, configuration.unsentResponseBytes)
        let space = try unlimited(minimumFreeSpace, "minimum.free.space", settings, 128)
        configuration.minimumFreeSpace = Int64(min(space ?? 0, 1 << 30)) << 20
        try applyLimits(to: &configuration, settings)
        try applyConnections(to: &configuration, settings)
    }

    private func applyLimits(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        var limits = configuration.limits
        limits.entriesPerRequest = try positive(
            entriesPerRequest, "entries.per.request", settings, limits.entriesPerRequest)
        limits.bytesPerRequest = try positive(bytesPerRequest, "bytes.per.request", settings, limits.bytesPerRequest)
        limits.changesPerPage = try positive(changesPerPage, "changes.per.page", settings, limits.changesPerPage)
        limits.defaultChangesPerPage = min(limits.defaultChangesPerPage, limits.changesPerPage)
        limits.participantsPerList = try positive(
            participantsPerList, "participants.per.list", settings, limits.participantsPerList)
        configuration.limits = limits
    }

    private func applyConnections(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        configuration.connections = try positive(connections, "connections", settings, configuration.connections)
        configuration.connectionsByAddress = try positive(
            connectionsByAddress, "connections.by.address", settings, configuration.connectionsByAddress)
        configuration.waitingPasswordHashes = try positive(
            waitingPasswords, "waiting.passwords", settings, configuration.waitingPasswordHashes)
        func timeout(_ flag: Age?, _ key: String, _ standard: TimeAmount) throws -> TimeAmount {
            try settings.optional(flag, key).map { .milliseconds($0.milliseconds) } ?? standard
        }
        let timeouts = configuration.timeouts
        configuration.timeouts = Timeouts(
            head: try timeout(headTimeout, "head.timeout", timeouts.head),
            body: try timeout(bodyTimeout, "body.timeout", timeouts.body),
            idle: try timeout(idleTimeout, "idle.timeout", timeouts.idle),
            write: try timeout(writeTimeout, "write.timeout", timeouts.write))
    }

    private func positive(_ flag: Int?, _ key: String, _ settings: Settings, _ standard: Int) throws -> Int {
        let value = try settings.value(flag, key, default: standard)
        guard value > 0 else { throw ValidationError("\(key.flag) must be at least 1") }
        return value
    }

    private func unlimited(_ flag: Int?, _ key: String, _ settings: Settings, _ standard: Int?) throws -> Int? {
        guard let value = try settings.optional(flag, key) else { return standard }
        guard value >= 0 else { throw ValidationError("\(key.flag) must be at least 0") }
        return value == 0 ? nil : value
    }
}

extension String {
    /// The flag of a setting's key: `idle.timeout` is `--idle-timeout`.
    fileprivate var flag: String { "--" + String(map { $0 == "." ? "-" : $0 }) }
}
