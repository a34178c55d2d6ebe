import TrolleyServer
import TrolleyStore
import TrolleyWire

/// What the settings let the world do, and whether that looks meant.
struct Exposure {
    let host: String
    let configuration: ServiceConfiguration

    var findings: [Finding] { [transport, registration, limits, mail] }

    /// Whether only this machine gets at the service, or a proxy that stands before it.
    private var isPrivate: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private var transport: Finding {
        if configuration.tls != nil { return .ok("transport", "it speaks TLS at \(host)") }
        if isPrivate { return .ok("transport", "without TLS, at \(host) only") }
        if !configuration.proxies.proxies.isEmpty {
            return .ok("transport", "without TLS, behind proxies that are named")
        }
        return .warning(
            "transport", "without TLS at \(host)",
            "Give it a certificate, or put a proxy with TLS in front: passwords and tokens travel as they are.")
    }

    private var registration: Finding {
        switch configuration.registration {
        case .open where !isPrivate || configuration.tls != nil || !configuration.proxies.proxies.isEmpty:
            .warning(
                "registration", "open: whoever reaches the service can make an account",
                "If that isn't meant, --registration invitation takes those who are invited.")
        case .open: .ok("registration", "open: whoever reaches the service can make an account")
        case .invitation: .ok("registration", "by invitation")
        case .closed: .ok("registration", "closed")
        }
    }

    private var mail: Finding {
        guard let command = configuration.mail else {
            return .ok("mail", "none is sent, so addresses are verified by the operator's word only")
        }
        guard command.isInstalled else {
            return .failed(
                "mail", "the program of --mail-command is not there", "Install it, or name it by its whole path.")
        }
        return .ok("mail", "sent by the program of --mail-command")
    }

    private var limits: Finding {
        let rates = configuration.rates
        if rates.attemptsPerHourByAddress == nil || rates.attemptsPerHourByEmail == nil {
            return .warning(
                "limits", "passwords can be tried as often as one likes",
                "Set --attempts-per-hour-by-address and --attempts-per-hour-by-email to more than 0.")
        }
        let limits = configuration.limits
        if limits.bytesPerEntry > limits.bytesPerRequest {
            return .failed(
                "limits", "an entry may have \(limits.bytesPerEntry) bytes and a request \(limits.bytesPerRequest)",
                "Make --bytes-per-request larger: entries that are allowed can't be sent.")
        }
        return .ok("limits", "\(limits.entriesPerRequest) entries and \(limits.bytesPerRequest) bytes a request")
    }
}
