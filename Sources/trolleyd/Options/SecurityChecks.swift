import FoundationEssentials
import SwiftASN1
import TrolleyJournal
import TrolleyServer
import TrolleyStore
import TrolleyWire
import X509

/// Checks for settings that are insecure or contradict each other.
struct SecurityChecks {
    let host: String
    let configuration: ServiceConfiguration

    var findings: [Finding] { [transport] + certificate + [registration, limits, mail, push] }

    /// Whether only this machine can reach the service, directly or as a proxy in front of it.
    private var isPrivate: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private var transport: Finding {
        if configuration.tls != nil { return .ok("transport", "TLS at \(host)") }
        if isPrivate { return .ok("transport", "without TLS, at \(host) only") }
        if !configuration.proxies.proxies.isEmpty {
            return .ok("transport", "without TLS, behind trusted proxies")
        }
        return .warning(
            "transport", "without TLS at \(host)",
            "Passwords and tokens travel in plain text. Set --tls-certificate, or put a proxy with TLS in front.")
    }

    /// When the certificate ends: browsers and devices refuse the service from then on.
    private var certificate: [Finding] {
        guard let path = configuration.tls?.certificate else { return [] }
        return [Self.finding(ofCertificateAt: path, at: Date())]
    }

    static func finding(ofCertificateAt path: String, at now: Date) -> Finding {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let certificate = try? Certificate(pemEncoded: text)
        else {
            return .warning(
                "certificate", "\(path) can't be read as a certificate",
                "Check --tls-certificate: a PEM file that begins with the service's own certificate.")
        }
        let end = certificate.notValidAfter
        let days = Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
        let date = Timestamp(milliseconds: Int64(end.timeIntervalSince1970 * 1000)).description.prefix(10)
        if days < 0 {
            return .failed(
                "certificate", "ended on \(date)", "Renew it, and restart the service: trolleyd certificate --help.")
        }
        if days < 21 {
            return .warning(
                "certificate", "ends on \(date), in \(days) days",
                "Renew it, and restart the service: trolleyd certificate --help.")
        }
        return .ok("certificate", "until \(date)")
    }

    private var registration: Finding {
        switch configuration.registration {
        case .open where !isPrivate || configuration.tls != nil || !configuration.proxies.proxies.isEmpty:
            .warning(
                "registration", "open: anybody who reaches the service can sign up",
                "To restrict it: --registration invitation accepts only invited people.")
        case .open: .ok("registration", "open: anybody who reaches the service can sign up")
        case .invitation: .ok("registration", "by invitation")
        case .closed: .ok("registration", "closed")
        }
    }

    private var mail: Finding {
        guard let command = configuration.mail else {
            return .ok("mail", "no mail is sent, so only the operator can verify addresses")
        }
        guard command.isInstalled else {
            return .failed(
                "mail", "the program of --mail-command doesn't exist", "Install it, or give its full path.")
        }
        return .ok("mail", "sent by the program of --mail-command")
    }

    private var push: Finding {
        let contact = configuration.push.contact ?? "the web app's address"
        guard configuration.push.allowsPrivateAddresses else {
            return .ok("push", "to public addresses by https only; push services may contact \(contact)")
        }
        return .warning(
            "push", "push subscriptions and webhooks may use http and private addresses",
            """
            Anybody with an account can make the service send requests to this machine and into your network, without \
            seeing the answers. Unless a program there needs it, leave --push-to-private-addresses out; otherwise let \
            only people whom you trust sign up (--registration invitation).
            """)
    }

    private var limits: Finding {
        let rates = configuration.rates
        if rates.attemptsPerHourByAddress == nil || rates.attemptsPerHourByEmail == nil {
            return .warning(
                "limits", "password attempts are not limited",
                "Set --attempts-per-hour-by-address and --attempts-per-hour-by-email to more than 0.")
        }
        let limits = configuration.limits
        if limits.bytesPerEntry > limits.bytesPerRequest {
            return .failed(
                "limits",
                "an entry may have \(limits.bytesPerEntry) bytes, but a request only \(limits.bytesPerRequest)",
                "Make --bytes-per-request larger, so that every allowed entry can be sent.")
        }
        return .ok("limits", "\(limits.entriesPerRequest) entries and \(limits.bytesPerRequest) bytes a request")
    }
}
