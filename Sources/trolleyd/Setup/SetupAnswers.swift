import ArgumentParser
import TrolleyWire

/// What puts HTTPS in front of the service.
enum TLSChoice: String, CaseIterable, ExpressibleByArgument, Encodable {
    /// Caddy, with certificates that it requests for a public name.
    case caddy
    /// The service itself, with a certificate by an authority of the household's own.
    case own
    /// The service itself, with the certificate that the settings name already.
    case keep
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
    /// Settings that nobody is asked for stay as they are where they fit the answers.
    var present = PresentSettings()

    /// What fits an address.
    static func tls(for address: PublicAddress) -> TLSChoice {
        if !address.isSecure { return .none }
        return address.isPublicName ? .caddy : .own
    }

    /// The default for an address: the present way, unless the address is of another kind than the present one.
    static func usualTLS(for address: PublicAddress, _ present: PresentSettings) -> TLSChoice {
        let fitting = tls(for: address)
        guard let way = present.tls, contradiction(way, address, present) == nil else { return fitting }
        if let former = present.address.flatMap({ PublicAddress($0) }), tls(for: former) != fitting { return fitting }
        return way
    }

    /// Why a way of TLS can't serve an address; nil: it can.
    static func contradiction(
        _ tls: TLSChoice, _ address: PublicAddress, _ present: PresentSettings
    ) -> String? {
        switch tls {
        case .keep where !present.namesCertificate:
            "The file of settings names no certificate with its key that could be kept: choose caddy or own."
        case .caddy where !address.isSecure, .own where !address.isSecure, .keep where !address.isSecure:
            "With TLS the address begins with https://, not \(address)."
        case .none where address.isSecure:
            "\(address) needs TLS: caddy, or own. Without it the address begins with http://."
        case .caddy where !address.isPublicName:
            "Caddy can't get a certificate for \(address.host): that needs a public name. Choose own."
        default: nil
        }
    }

    /// - Throws: `ValidationError` if the answers contradict each other.
    func check() throws {
        if let problem = Self.contradiction(tls, address, present) { throw ValidationError(problem) }
        if mailFrom != nil, mailCommand == nil {
            throw ValidationError("A sender of mail goes with the program that sends it.")
        }
        if mailFrom?.contains(where: \.isNewline) == true {
            throw ValidationError("The sender of mail is one line.")
        }
    }

    /// Whether HTTPS is where it was: in front of the service, in it, or nowhere.
    private var isAsBefore: Bool {
        present.tls == tls || present.namesCertificate && (tls == .own || tls == .keep)
    }

    /// Where the service listens.
    var listening: (host: String, port: Int) {
        let host = isAsBefore ? present.host : nil
        switch tls {
        case .caddy: return (host ?? "127.0.0.1", (isAsBefore ? present.port : nil) ?? 8080)
        case .own, .keep: return (host ?? "0.0.0.0", address.port ?? 443)
        case .none:
            let isLoopback = host.flatMap { CertifiedName($0) }?.isLoopback
            let usual = address.isLoopback ? "127.0.0.1" : "0.0.0.0"
            return (isLoopback == address.isLoopback ? host ?? usual : usual, address.port ?? 80)
        }
    }

    /// Settings by name, in the order in which they are written; nil: not set any more. Others stay as they are.
    /// - Parameters:
    ///   - certificate: the file of the certificate that setup has made.
    ///   - key: the file of its key.
    func settings(certificate: String, key: String) -> [(name: String, value: String?)] {
        let (host, port) = listening
        var settings: [(name: String, value: String?)] = [
            ("TROLLEY_ADDRESS", address.description), ("TROLLEY_HOST", host), ("TROLLEY_PORT", "\(port)"),
        ]
        if !isAsBefore || tls == .caddy && present.trustedProxies == nil {
            settings.append(("TROLLEY_TRUSTED_PROXIES", tls == .caddy ? "127.0.0.1" : nil))
        }
        if tls != .keep {
            settings.append(("TROLLEY_TLS_CERTIFICATE", tls == .own ? certificate : nil))
            settings.append(("TROLLEY_TLS_KEY", tls == .own ? key : nil))
        }
        let others: [(name: String, value: String?)] = [
            ("TROLLEY_REGISTRATION", registration.rawValue),
            ("TROLLEY_MAIL_COMMAND", mailCommand), ("TROLLEY_MAIL_FROM", mailFrom),
            ("TROLLEY_BACKUP_DIRECTORY", backupDirectory),
        ]
        return settings + others
    }

    /// The site's part of Caddy's configuration; nil: Caddy isn't used.
    var caddyfile: String? {
        guard tls == .caddy else { return nil }
        let (host, port) = listening
        let upstream = CertifiedName(host)?.isUnspecified == true ? "127.0.0.1" : host
        return """
            \(address.host)\(address.port.map { ":\($0)" } ?? "") {
                @metrics path_regexp ^/+metrics(/|$)
                respond @metrics 404
                reverse_proxy \(upstream.contains(":") ? "[\(upstream)]" : upstream):\(port) {
                    header_up -Forwarded
                    flush_interval -1
                }
            }
            """
    }
}
