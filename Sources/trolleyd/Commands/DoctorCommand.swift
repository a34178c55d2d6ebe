import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyCluster
import TrolleyJournal
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyWire

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the database and the configuration, and say how to fix problems.",
        discussion: """
            Changes nothing. Give it the same settings as `serve`, preferably in the environment, because it checks \
            them too. Exits with 1 when a check has failed; warnings don't count. The last line is the one thing to do next.

            Example:
              trolleyd doctor --database-url postgresql://localhost/trolley
            """)

    @OptionGroup var database: DatabaseOptions

    @Option(help: "Address that serve listens on. (default: 127.0.0.1)")
    var host: String?

    @Option(help: "The age from which serve compresses entries: 14d, 12h, 30m, 45s. (default: 14d)")
    var compressOlderThan: Age?

    @Option(help: "Who may sign up: open (everybody), invitation, or closed (nobody). (default: open)")
    var registration: Registration?

    @Option(help: "The database itself, as a URL, where --database-url is a pooler.")
    var listenURL: String?

    @OptionGroup(title: "Network and identity") var network: NetworkOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let settings = Settings()
        let age = try settings.compressionAge(compressOlderThan)
        var configuration = ServiceConfiguration(
            version: Trolleyd.version,
            registration: try settings.value(registration, "registration", default: .open))
        try network.apply(to: &configuration, settings)
        try limits.apply(to: &configuration, settings)
        let exposure = SecurityChecks(
            host: try settings.value(host, "host", default: "127.0.0.1"), configuration: configuration)
        let listens = try settings.optional(listenURL, "listen.url").map { try PostgresConfiguration($0) }
        var findings = try await database.withPool(
            settings, logger: Logger(label: "trolleyd", level: .warning), for: .inspect
        ) { pool in
            await Doctor(
                pool: pool, listening: listens, compressionAge: age.milliseconds,
                clock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
            ).examine()
        }
        if let directory = try database.ownDirectory(settings) { findings += Self.reserve(in: directory) }
        findings += exposure.findings
        findings.append(try network.web.finding(of: configuration.web, settings))
        if answer.json {
            try printJSON(Report(verdict: findings.verdict, findings: findings, next: findings.nextStep))
        } else {
            for finding in findings {
                say("\(finding.verdict.rawValue.padded(to: 9))\(finding.check.padded(to: 13))\(finding.message)")
                if let advice = finding.advice { say("\("".padded(to: 22))→ \(advice)") }
            }
            say("\nNext: \(findings.nextStep)")
        }
        if findings.verdict == .failed { throw ExitCode.failure }
    }

    /// Checks that trolleyd's own PostgreSQL could start on a full disk.
    private static func reserve(in directory: String) -> [Finding] {
        let cluster = ClusterConfiguration(dataDirectory: directory)
        guard let isThere = cluster.hasReserve else { return [] }
        let (file, size) = ("\(directory)/reserve", cluster.reserve >> 20)
        return [
            isThere
                ? .ok("reserve", "\(size) MiB are reserved in \(file), for a start on a full disk")
                : .warning(
                    "reserve", "\(file) is missing: no space is reserved for a start on a full disk",
                    "Free some space: the service creates the file when \(4 * size) MiB are free.")
        ]
    }

    private struct Report: Encodable {
        let verdict: Finding.Verdict
        let findings: [Finding]
        let next: String
    }
}

extension [Finding] {
    /// The one thing to do next: the advice of the first check that has failed, otherwise of the first warning.
    var nextStep: String {
        guard let open = first(where: { $0.verdict == .failed }) ?? first(where: { $0.verdict == .warning }) else {
            return "nothing is to be done."
        }
        return "\(open.check): \(open.advice ?? open.message)"
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
