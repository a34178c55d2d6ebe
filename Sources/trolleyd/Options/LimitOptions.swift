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

    @Option(
        help: """
            Invitations, acceptances, permission changes and hand-overs an hour by one account; 0: no limit. \
            (default: 1200)
            """)
    var shareChangesPerHourByAccount: Int?

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
        try applyRates(to: &configuration.rates, settings)
        try applyQuotas(to: &configuration.quotas, settings)
        try applyLimits(to: &configuration.limits, settings)
        try applyConnections(to: &configuration, settings)
        try settings.positive(memory.memoryForBodies, "memory.for.bodies", &configuration.bodyBytes)
        try settings.positive(memory.memoryForAnswers, "memory.for.answers", &configuration.unsentResponseBytes)
        var space: Int? = 128
        try settings.limit(minimumFreeSpace, "minimum.free.space", &space)
        configuration.minimumFreeSpace = Int64(min(space ?? 0, 1 << 30)) << 20
    }

    private func applyRates(to rates: inout Rates, _ settings: Settings) throws {
        try settings.limit(
            requestsPerMinuteByAccount, "requests.per.minute.by.account", &rates.requestsPerMinuteByAccount)
        try settings.limit(
            requestsPerMinuteByDevice, "requests.per.minute.by.device", &rates.requestsPerMinuteByDevice)
        try settings.limit(
            requestsPerMinuteByAddress, "requests.per.minute.by.address", &rates.requestsPerMinuteByAddress)
        try settings.limit(attemptsPerHourByAddress, "attempts.per.hour.by.address", &rates.attemptsPerHourByAddress)
        try settings.limit(attemptsPerHourByEmail, "attempts.per.hour.by.email", &rates.attemptsPerHourByEmail)
        try settings.limit(mailsPerHourByAddress, "mails.per.hour.by.address", &rates.mailsPerHourByAddress)
        try settings.limit(mailsPerHour, "mails.per.hour", &rates.mailsPerHour)
        try settings.limit(
            shareChangesPerHourByAccount, "share.changes.per.hour.by.account", &rates.shareChangesPerHourByAccount)
        try settings.limit(streamsPerDevice, "streams.per.device", &rates.streamsPerDevice)
        try settings.limit(streamsPerAccount, "streams.per.account", &rates.streamsPerAccount)
    }

    private func applyQuotas(to quotas: inout Quotas, _ settings: Settings) throws {
        try settings.limit(entriesPerList, "entries.per.list", &quotas.entriesPerList)
        try settings.limit(listsPerAccount, "lists.per.account", &quotas.listsPerAccount)
        try settings.limit(devicesPerAccount, "devices.per.account", &quotas.devicesPerAccount)
        try settings.limit(memory.bytesPerList, "bytes.per.list", &quotas.bytesPerList)
        try settings.limit(memory.bytesPerAccount, "bytes.per.account", &quotas.bytesPerAccount)
    }

    private func applyLimits(to limits: inout Limits, _ settings: Settings) throws {
        try settings.positive(entriesPerRequest, "entries.per.request", &limits.entriesPerRequest)
        try settings.positive(bytesPerRequest, "bytes.per.request", &limits.bytesPerRequest)
        try settings.positive(changesPerPage, "changes.per.page", &limits.changesPerPage)
        limits.defaultChangesPerPage = min(limits.defaultChangesPerPage, limits.changesPerPage)
        try settings.positive(participantsPerList, "participants.per.list", &limits.participantsPerList)
    }

    private func applyConnections(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        try settings.positive(connections, "connections", &configuration.connections)
        try settings.positive(connectionsByAddress, "connections.by.address", &configuration.connectionsByAddress)
        try settings.positive(waitingPasswords, "waiting.passwords", &configuration.waitingPasswordHashes)
        try settings.timeout(headTimeout, "head.timeout", &configuration.timeouts.head)
        try settings.timeout(bodyTimeout, "body.timeout", &configuration.timeouts.body)
        try settings.timeout(idleTimeout, "idle.timeout", &configuration.timeouts.idle)
        try settings.timeout(writeTimeout, "write.timeout", &configuration.timeouts.write)
    }
}

extension Settings {
    /// Sets a number that must be at least 1, if the flag or the environment has it.
    fileprivate func positive(_ flag: Int?, _ key: String, _ number: inout Int) throws {
        guard let value = try optional(flag, key) else { return }
        guard value > 0 else { throw ValidationError("\(key.flag) must be at least 1") }
        number = value
    }

    /// Sets a limit, if the flag or the environment has it; 0 removes it.
    fileprivate func limit(_ flag: Int?, _ key: String, _ limit: inout Int?) throws {
        guard let value = try optional(flag, key) else { return }
        guard value >= 0 else { throw ValidationError("\(key.flag) must be at least 0") }
        limit = value == 0 ? nil : value
    }

    fileprivate func timeout(_ flag: Age?, _ key: String, _ timeout: inout TimeAmount) throws {
        if let age = try optional(flag, key) { timeout = .milliseconds(age.milliseconds) }
    }
}

extension String {
    /// The flag of a setting's key: `idle.timeout` is `--idle-timeout`.
    fileprivate var flag: String { "--" + String(map { $0 == "." ? "-" : $0 }) }
}
