import ArgumentParser
import FoundationEssentials
import TrolleyJournal

struct CertificateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Make a certificate for HTTPS in a home network, by an authority of your own.",
        discussion: """
            Without a domain nobody else certifies your service. This makes an authority once, and with it a certificate for the
            names and addresses by which your devices reach this machine; without names, for its own. Each device must trust the \
            authority once. It can only certify private addresses, home networks and the names that you give the first time.

            Run it again to renew the certificate, then restart the service: devices go on trusting the authority.

            Example:
              trolleyd certificate
              trolleyd certificate kitchen.local 192.168.1.20 --directory /etc/trolley/certificates
            """)

    @Argument(help: "Names and addresses of the service. (default: this machine's)")
    var names: [String] = []

    @Option(help: "Where the files are. (default: trolley-certificates)")
    var directory: String?

    @Option(help: "How many days the certificate is valid, at most 825. (default: 397)")
    var days: Int?

    @Flag(help: "Make another authority, which all devices must trust again.")
    var newAuthority = false

    @OptionGroup var answer: AnswerOptions

    func run() async throws {
        let settings = Settings()
        let directory = try settings.value(directory, "certificate.directory", default: "trolley-certificates")
        let days = try settings.value(days, "certificate.days", default: 397)
        guard 1...PrivateAuthority.longestLifetime ~= days else {
            throw ValidationError("--days is from 1 to \(PrivateAuthority.longestLifetime): devices refuse longer ones")
        }
        let names = try certified()
        try show(
            try await CertificateFiles(directory: directory)
                .make(names, days: days, newAuthority: newAuthority, at: Date()))
    }

    private func certified() throws -> [CertifiedName] {
        if names.isEmpty { return CertifiedName.ofThisMachine() }
        return try names.map { text in
            guard let name = CertifiedName(text) else {
                throw ValidationError(
                    "'\(text)' is neither a host's name nor an address; give it without https:// and port, like kitchen.local"
                )
            }
            return name
        }
    }

    private func show(_ made: MadeCertificate) throws {
        if answer.json { return try printJSON(made) }
        say(
            """
            A certificate for \(made.names.joined(separator: ", ")), valid until \(made.validUntil.description.prefix(10)):
              trolleyd serve --host 0.0.0.0 --tls-certificate \(made.certificate) --tls-key \(made.key)

            \(made.authorityIsNew ? "Each device must trust this authority once" : "The authority that devices trust already"):
              \(made.authority)
              SHA-256 \(made.authorityFingerprint)
            """)
        if made.authorityIsNew {
            say("How iPhones, Android phones and computers do that: docs/operations.md, 'HTTPS at home'.")
        }
    }
}
