import ArgumentParser
import FoundationEssentials
import TrolleyServer
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Ask five questions, and write the service's settings.",
        discussion: """
            Asks for the address, TLS, who may sign up, mail and backups; what a flag says is not asked. The defaults are what the \
            file says already. It changes these settings in the file and leaves everything else in it. With TLS of your own it \
            makes the certificate too. Where the unit of systemd keeps the service from writing the backups, it writes a drop-in.

            Examples:
              trolleyd setup
              trolleyd setup --address https://lists.example.com --registration invitation --defaults
            """)

    @Option(help: "The address that people open: https://lists.example.com, https://kitchen.local:8443.")
    var address: String?

    @Option(
        help: """
            caddy (in front, for a public name), own (an authority of your own, for a home network), keep (the certificate \
            that the file names) or none.
            """)
    var tls: TLSChoice?

    @Option(help: "Who may sign up: open, invitation or closed.")
    var registration: Registration?

    @Option(help: "The program that sends mail, with its arguments, such as 'msmtp -t'; '' for none.")
    var mailCommand: String?

    @Option(help: "The sender of mail; '' for none.")
    var mailFrom: String?

    @Option(help: "Where the backup before an upgrade goes; '' for the service's own place.")
    var backupDirectory: String?

    @Option(help: "The file of settings. (default: /etc/trolley/trolleyd.env where that is, else trolleyd.env)")
    var file: String?

    @Flag(help: "Ask nothing: what no flag says stays, or is what fits. Without a file, the address must be given.")
    var defaults = false

    @OptionGroup var answer: AnswerOptions

    private static let installed = "/etc/trolley/trolleyd.env"

    func run() async throws {
        try await run(Questions(isAsking: !defaults && isatty(STDIN_FILENO) == 1), units: ServiceUnit.directories)
    }

    /// - Parameters:
    ///   - questions: to the person.
    ///   - units: where systemd's units are, see ``ServiceUnit/directories``.
    /// - Returns: what was written.
    @discardableResult
    func run(_ questions: Questions, units: [String]) async throws -> Done {
        let file = Self.absolute(
            file ?? (FileManager.default.fileExists(atPath: Self.installed) ? Self.installed : "trolleyd.env"))
        var settings = try Self.read(file)
        let certificates = CertificateFiles(directory: "\(Self.directory(of: file))/certificates")
        let present = PresentSettings(of: settings, own: certificates)
        if address == nil, present.address == nil, !questions.isAsking {
            throw ValidationError("Without a terminal to ask on, --address is needed; the rest has defaults.")
        }
        let unit = ServiceUnit(in: units, reading: file)
        let (answers, backups) = try ask(questions, present, unit)
        try answers.check()

        let hint = try unit.flatMap { try backups?.make(for: $0) }
        let hasChangedUnit = try await unit?.allow(backups) ?? false
        // The certificate first: settings that name none would keep the service from starting.
        var authority: String?
        if answers.tls == .own {
            let wanted = [answers.address.host] + present.certified + CertifiedName.ofThisMachine()
            let names = wanted.reduce(into: [CertifiedName]()) { if !$0.contains($1) { $0.append($1) } }
            _ = try await certificates.make(names, days: 397, newAuthority: false, at: Date())
            authority = certificates.authorityCertificate
        }
        for (name, value) in answers.settings(certificate: certificates.certificate, key: certificates.key) {
            settings.set(name, to: value)
        }
        // A symbolic link to the settings stays.
        _ = try await Output.replace(ServiceUnit.resolved(file), with: settings.text)

        let dropIn = unit?.dropIn ?? ""
        let done = Done(
            file: file, address: answers.address.description, tls: answers.tls, authority: authority,
            caddyfile: answers.caddyfile, dropIn: FileManager.default.fileExists(atPath: dropIn) ? dropIn : nil,
            reload: hasChangedUnit)
        if let hint { warn(hint) }
        try show(
            done, changed: hasChangedUnit ? dropIn : nil, isInstalled: unit != nil || file == Self.installed)
        return done
    }

    private static func read(_ file: String) throws -> EnvironmentFile {
        guard FileManager.default.fileExists(atPath: file) else { return try EnvironmentFile("", of: file) }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandError(
                """
                \(file) can't be read as text; nothing was changed. Run this as a user that may read it, such as root, or name \
                another file with --file.
                """)
        }
        return try EnvironmentFile(text, of: file)
    }

    private func ask(
        _ questions: Questions, _ present: PresentSettings, _ unit: ServiceUnit?
    ) throws -> (SetupAnswers, BackupDirectory?) {
        func now(_ setting: String, _ value: String?) -> Questions.Present? {
            value.map { Questions.Present(setting: setting, value: $0) }
        }
        let host = CertifiedName.ofThisMachine().first { if case .domain = $0 { true } else { false } }
        let address = try questions.ask(
            "What address will people open?", given: self.address, present: now("TROLLEY_ADDRESS", present.address),
            usual: "https://\(host?.description ?? "localhost"):8443"
        ) { text in
            guard let address = PublicAddress(text) else {
                throw ValidationError(
                    "'\(text)' is no address of a service: it is like https://lists.example.com, without a path.")
            }
            return address
        }
        let keeping = present.namesCertificate ? "keep (the certificate that the file names), " : ""
        let tls = try questions.ask(
            """
            TLS: \(keeping)caddy (in front, for a public name), own (an authority of your own, for a home network) or none?
            """, given: self.tls?.rawValue, present: nil, usual: SetupAnswers.usualTLS(for: address, present).rawValue
        ) { text in
            guard let tls = TLSChoice(rawValue: text) else {
                throw ValidationError("'\(text)' is not caddy, own, keep or none.")
            }
            if let problem = SetupAnswers.contradiction(tls, address, present) { throw ValidationError(problem) }
            return tls
        }
        let registration = try questions.ask(
            "Who may sign up: invitation (people whom somebody invites), open (everybody) or closed?",
            given: self.registration?.rawValue, present: now("TROLLEY_REGISTRATION", present.registration),
            usual: Registration.invitation.rawValue
        ) { text in
            guard let registration = Registration(rawValue: text) else {
                throw ValidationError("'\(text)' is not invitation, open or closed.")
            }
            return registration
        }
        let mail = try questions.ask(
            "Which program sends mail, such as 'msmtp -t'? (\(Self.nothing(present.mailCommand)): none)",
            given: mailCommand, present: now("TROLLEY_MAIL_COMMAND", present.mailCommand), usual: ""
        ) { text -> String? in
            if Self.isNothing(text) { return nil }
            guard MailCommand(text) != nil else {
                throw ValidationError("'\(text)' is not a program with its arguments, like 'msmtp -t'.")
            }
            return text
        }
        let place = unit?.backupDirectory ?? "the data directory"
        let backups = try questions.ask(
            "Where does the backup before an upgrade go? (\(Self.nothing(present.backupDirectory)): \(place))",
            given: backupDirectory, present: now("TROLLEY_BACKUP_DIRECTORY", present.backupDirectory), usual: ""
        ) { text -> BackupDirectory? in
            if Self.isNothing(text) { return nil }
            return try BackupDirectory(text, for: unit)
        }
        var sender = mail == nil ? nil : present.mailFrom
        if let mailFrom { sender = mailFrom.isEmpty ? nil : mailFrom }
        let answers = SetupAnswers(
            address: address, tls: tls, registration: registration, mailCommand: mail, mailFrom: sender,
            backupDirectory: backups?.path, present: present)
        return (answers, backups)
    }

    /// How a person answers that there is to be none. An empty answer leaves what is there.
    private static func nothing(_ present: String?) -> String { present == nil ? "nothing" : "'-'" }

    private static func isNothing(_ answer: String) -> Bool { answer.isEmpty || answer == "-" }

    /// - Parameters:
    ///   - done: what was written.
    ///   - dropIn: of the unit, if it was written or removed.
    ///   - isInstalled: whether systemd starts the service with this file.
    private func show(_ done: Done, changed dropIn: String?, isInstalled: Bool) throws {
        if answer.json { return try printJSON(done) }
        say("Wrote \(done.file).")
        if let dropIn {
            say(done.dropIn.map { "Wrote \($0): it lets the service write the backups." } ?? "Removed \(dropIn).")
        }
        if let caddyfile = done.caddyfile {
            say("\nThis goes into /etc/caddy/Caddyfile; Caddy gets the certificate:\n\n\(caddyfile)")
        }
        if let authority = done.authority {
            say("\nEach device must trust \(authority) once: docs/operations.md, 'HTTPS at home'.")
        }
        let reload = dropIn == nil ? "" : "systemctl daemon-reload\n  "
        let start =
            isInstalled
            ? "\(reload)systemctl restart trolleyd" : "set -a; . \(done.file); set +a; trolleyd serve"
        say("\nThen start the service, and open \(done.address):\n  \(start)\n  trolleyd doctor")
    }

    private static func directory(of file: String) -> String {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    }

    private static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let here = FileManager.default.currentDirectoryPath
        return path.hasPrefix("./") ? "\(here)/\(path.dropFirst(2))" : "\(here)/\(path)"
    }
}

extension SetupCommand {
    /// What was written: the answer with `--json`.
    struct Done: Encodable {
        var file: String
        var address: String
        var tls: TLSChoice
        var authority: String?
        var caddyfile: String?
        /// The unit's drop-in that lets the service write the backups.
        var dropIn: String?
        /// Whether the unit has changed: `systemctl daemon-reload` comes before the restart.
        var reload: Bool
    }
}
