import ArgumentParser
import TrolleyWire

/// What puts HTTPS in front of the service.
enum TLSChoice: String, CaseIterable, ExpressibleByArgument, Encodable {
    /// Caddy, with certificates that it requests for a public name.
    case caddy
    /// The service itself, with a certificate by an authority of the household's own.
    case own
    case none
}

/// The answers to what `trolleyd setup` asks, and the settings that follow from them.
struct SetupAnswers {
    var address: PublicAddress
    var tls: TLSChoice
    var registration: Registration
    /// nil: no mail is sent.
    var mailCommand: String?
    var mailFrom: String?
    /// nil: where the service puts them by itself.
    var backupDirectory: String?

    /// What fits an address.
    static func tls(for address: PublicAddress) -> TLSChoice {
        if !address.isSecure { return .none }
        return address.isPublicName ? .caddy : .own
    }

    /// - Throws: if the answers contradict each other.
    func check() throws {
        switch tls {
        case .caddy where !address.isSecure, .own where !address.isSecure:
            throw ValidationError("With TLS the address begins with https://, not \(address).")
        case .none where address.isSecure:
            throw ValidationError("\(address) needs TLS: caddy, or own. Without it the address begins with http://.")
        case .caddy where !address.isPublicName:
            throw ValidationError(
                "Caddy can't get a certificate for \(address.host): that needs a public name. Choose own.")
        default: break
        }
        if mailFrom != nil, mailCommand == nil {
            throw ValidationError("A sender of mail goes with the program that sends it.")
        }
    }

    /// Settings by name, in the order in which they are written; nil: not set any more.
    func settings(certificate: String, key: String) -> [(name: String, value: String?)] {
        let host: String
        var port = address.port ?? 8080
        switch tls {
        case .caddy: (host, port) = ("127.0.0.1", 8080)
        case .own: (host, port) = ("0.0.0.0", address.port ?? 443)
        case .none: host = address.isLoopback ? "127.0.0.1" : "0.0.0.0"
        }
        if tls == .none, address.port == nil { port = 80 }
        return [
            ("TROLLEY_HOST", host), ("TROLLEY_PORT", "\(port)"),
            ("TROLLEY_TRUSTED_PROXIES", tls == .caddy ? "127.0.0.1" : nil),
            ("TROLLEY_TLS_CERTIFICATE", tls == .own ? certificate : nil),
            ("TROLLEY_TLS_KEY", tls == .own ? key : nil),
            ("TROLLEY_REGISTRATION", registration.rawValue),
            ("TROLLEY_MAIL_COMMAND", mailCommand), ("TROLLEY_MAIL_FROM", mailFrom),
            ("TROLLEY_BACKUP_DIRECTORY", backupDirectory),
        ]
    }

    /// The site's part of Caddy's configuration; nil: Caddy isn't used.
    var caddyfile: String? {
        guard tls == .caddy else { return nil }
        return """
            \(address.host)\(address.port.map { ":\($0)" } ?? "") {
                @metrics path_regexp ^/+metrics(/|$)
                respond @metrics 404
                reverse_proxy 127.0.0.1:8080 {
                    header_up -Forwarded
                    flush_interval -1
                }
            }
            """
    }
}
