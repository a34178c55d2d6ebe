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
            Asks for the address, TLS, who may sign up, mail and backups; what a flag says is not asked. It changes these settings in \
            the file and leaves everything else in it. With TLS of your own it makes the certificate too.

            Examples:
              trolleyd setup
              trolleyd setup --address https://lists.example.com --registration invitation --defaults
            """)

    @Option(help: "The address that people open: https://lists.example.com, https://kitchen.local:8443.")
    var address: String?

    @Option(help: "caddy (in front, for a public name), own (an authority of your own, for a home network) or none.")
    var tls: TLSChoice?

    @Option(help: "Who may sign up: open, invitation or closed.")
    var registration: Registration?

    @Option(help: "The program that sends mail, with its arguments, such as 'msmtp -t'; '' for none.")
    var mailCommand: String?

    @Option(help: "The sender of mail.")
    var mailFrom: String?

    @Option(help: "Where the backup before an upgrade goes; '' for the data directory.")
    var backupDirectory: String?

    @Option(help: "The file of settings. (default: /etc/trolley/trolleyd.env where that is, else trolleyd.env)")
    var file: String?

    @Flag(help: "Ask nothing: take what fits for what no flag says. The address must be given.")
    var defaults = false

    @OptionGroup var answer: AnswerOptions

    private static let installed = "/etc/trolley/trolleyd.env"

    func run() async throws {
        let file = file ?? (FileManager.default.fileExists(atPath: Self.installed) ? Self.installed : "trolleyd.env")
        let isAsking = !defaults && isatty(STDIN_FILENO) == 1
        if address == nil, !isAsking {
            throw ValidationError("Without a terminal to ask on, --address is needed; the rest has defaults.")
        }
        let questions = Questions(isAsking: isAsking)
        let answers = try ask(questions)
        try answers.check()

        var settings = EnvironmentFile("")
        if FileManager.default.fileExists(atPath: file) {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
                throw CommandError("\(file) can't be read; nothing was changed.")
            }
            settings = EnvironmentFile(text)
        }
        // The certificate first: settings that name none would keep the service from starting.
        let certificates = CertificateFiles(directory: Self.absolute("\(Self.directory(of: file))/certificates"))
        var authority: String?
        if answers.tls == .own {
            let names = ([answers.address.host] + CertifiedName.ofThisMachine()).reduce(into: [CertifiedName]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            _ = try await certificates.make(names, days: 397, newAuthority: false, at: Date())
            authority = certificates.authorityCertificate
        }
        for (name, value) in answers.settings(certificate: certificates.certificate, key: certificates.key) {
            settings.set(name, to: value)
        }
        let mode = (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? Int
        let text = settings.text
        try await Output.write(to: file) { try $0.write(Array(text.utf8)) }
        if let mode { chmod(file, mode_t(mode)) }

        let done = Done(
            file: file, address: answers.address.description, tls: answers.tls, authority: authority,
            caddyfile: answers.caddyfile)
        try show(done)
    }

    private func ask(_ questions: Questions) throws -> SetupAnswers {
        let host = CertifiedName.ofThisMachine().first { if case .domain = $0 { true } else { false } }
        let address = try questions.ask(
            "What address will people open?", given: self.address,
            default: "https://\(host?.description ?? "localhost"):8443"
        ) { text in
            guard let address = PublicAddress(text) else {
                throw ValidationError(
                    "'\(text)' is no address of a service: it is like https://lists.example.com, without a path.")
            }
            return address
        }
        let fitting = SetupAnswers.tls(for: address)
        let tls = try questions.ask(
            "TLS: caddy (in front, for a public name), own (an authority of your own, for a home network) or none?",
            given: self.tls?.rawValue, default: fitting.rawValue
        ) { text in
            guard let tls = TLSChoice(rawValue: text) else {
                throw ValidationError("'\(text)' is not caddy, own or none.")
            }
            return tls
        }
        let registration = try questions.ask(
            "Who may sign up: invitation (people whom somebody invites), open (everybody) or closed?",
            given: self.registration?.rawValue, default: Registration.invitation.rawValue
        ) { text in
            guard let registration = Registration(rawValue: text) else {
                throw ValidationError("'\(text)' is not invitation, open or closed.")
            }
            return registration
        }
        let mail = try questions.ask(
            "Which program sends mail, such as 'msmtp -t'? (nothing: none)", given: mailCommand, default: ""
        ) { text in
            if !text.isEmpty, MailCommand(text) == nil {
                throw ValidationError("'\(text)' is not a program with its arguments, like 'msmtp -t'.")
            }
            return text.isEmpty ? nil : text
        }
        let backups = try questions.ask(
            "Where does the backup before an upgrade go? (nothing: the data directory)", given: backupDirectory,
            default: ""
        ) { text in
            if !text.isEmpty, !text.hasPrefix("/") {
                throw ValidationError("'\(text)' is not a path from the root, like /var/backups/trolley.")
            }
            return text.isEmpty ? nil : text
        }
        return SetupAnswers(
            address: address, tls: tls, registration: registration, mailCommand: mail, mailFrom: mailFrom,
            backupDirectory: backups)
    }

    private func show(_ done: Done) throws {
        if answer.json { return try printJSON(done) }
        say("Wrote \(done.file).")
        if let caddyfile = done.caddyfile {
            say("\nThis goes into /etc/caddy/Caddyfile; Caddy gets the certificate:\n\n\(caddyfile)")
        }
        if let authority = done.authority {
            say("\nEach device must trust \(authority) once: docs/operations.md, 'HTTPS at home'.")
        }
        let start =
            done.file == Self.installed
            ? "systemctl restart trolleyd" : "set -a; . \(Self.absolute(done.file)); set +a; trolleyd serve"
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

private struct Done: Encodable {
    var file: String
    var address: String
    var tls: TLSChoice
    var authority: String?
    var caddyfile: String?
}

/// Questions to a person at a terminal.
private struct Questions {
    let isAsking: Bool

    /// - Parameters:
    ///   - given: the answer by a flag, which is not asked for.
    ///   - read: reads an answer; a person is asked again when it throws.
    func ask<Answer>(
        _ question: String, given: String?, default: String, _ read: (String) throws -> Answer
    ) throws -> Answer {
        if let given { return try read(given) }
        guard isAsking else { return try read(`default`) }
        while true {
            print("\(question)\(`default`.isEmpty ? "" : " [\(`default`)]") ", terminator: "")
            fflush(nil)
            guard let line = readLine() else { throw CommandError("The input has ended; nothing was changed.") }
            let text = line.trimmingSpaces
            do { return try read(text.isEmpty ? `default` : text) } catch let error as ValidationError {
                warn(error.message)
            }
        }
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
