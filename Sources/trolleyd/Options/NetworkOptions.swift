import ArgumentParser
import FoundationEssentials
import TrolleyServer

/// Settings of the network edge: TLS, proxies, the identity provider, mail, and access to the metrics.
struct NetworkOptions: ParsableArguments {
    @Option(
        help: "The certificate and the intermediate certificates, in PEM. With it the service uses TLS and HTTP/2.")
    var tlsCertificate: String?

    @Option(help: "The certificate's private key, in PEM.")
    var tlsKey: String?

    @Option(
        help: "Reverse proxies whose forwarding header the service believes: 10.0.0.0/8,127.0.0.1. (default: nobody)")
    var trustedProxies: String?

    @Option(help: "The header in which they name the client: x-forwarded-for or forwarded. (default: x-forwarded-for)")
    var proxyHeader: String?

    @Option(
        help:
            "Origins of other sites' pages that may call the service (CORS): https://lists.example.com. (default: none)"
    )
    var allowedOrigins: String?

    @Option(help: "The addresses that may read /metrics: 127.0.0.0/8,::1; 'none': no address. (default: this machine)")
    var metricsFrom: String?

    @Option(
        help: "An identity provider whose tokens sign people in, by its issuer: https://id.example.com")
    var oidcIssuer: String?

    @Option(help: "The audience that the tokens must name.")
    var oidcAudience: String?

    @Option(help: "The provider's keys: a file, or the address of its JWKS.")
    var oidcJwks: String?

    @Option(help: "What people call the provider. With it the web app offers to sign in there. (default: not offered)")
    var oidcName: String?

    @Option(help: "The file with the secret that the provider has given this service. (default: none)")
    var oidcClientSecretFile: String?

    @Option(
        help:
            "The program that sends mail, with its arguments: 'msmtp -t'. It gets a message on standard input. (default: none)"
    )
    var mailCommand: String?

    @Option(help: "The sender of mail: lists@example.com. (default: as the program says)")
    var mailFrom: String?

    @Flag(
        help:
            "Let push subscriptions and webhooks use http and private addresses: loopback, 10.0.0.0/8, fc00::/7 and the like. Anybody with an account can then send requests into your network."
    )
    var pushToPrivateAddresses = false

    @Option(
        help:
            "Whom push services may contact about this service: mailto:admin@example.com or https://… (default: the web app's address)"
    )
    var pushContact: String?

    @OptionGroup var web: WebOptions

    func apply(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        if let text = try settings.optional(trustedProxies, "trusted.proxies") {
            configuration.proxies.proxies = try networks(text, "--trusted-proxies")
        }
        if let text = try settings.optional(proxyHeader, "proxy.header") {
            guard let header = ProxyTrust.Header(rawValue: text.lowercased()) else {
                throw ValidationError("--proxy-header must be x-forwarded-for or forwarded")
            }
            configuration.proxies.header = header
        }
        if let text = try settings.optional(metricsFrom, "metrics.from") {
            configuration.metricsFrom = text == "none" ? [] : try networks(text, "--metrics-from")
        }
        if let text = try settings.optional(allowedOrigins, "allowed.origins") {
            guard let origins = AllowedOrigins(text) else {
                throw ValidationError(
                    "--allowed-origins must be origins like https://lists.example.com, with commas between them, "
                        + "without paths and default ports")
            }
            configuration.origins = origins
        }
        let files = (
            certificate: try settings.optional(tlsCertificate, "tls.certificate"),
            key: try settings.optional(tlsKey, "tls.key")
        )
        switch files {
        case (let certificate?, let key?):
            configuration.tls = TLSFiles(certificate: certificate, key: key)
        case (nil, nil): break
        default: throw ValidationError("--tls-certificate and --tls-key go together")
        }
        try applyIdentity(to: &configuration, settings)
        try applyMail(to: &configuration, settings)
        try applyPush(to: &configuration.push, settings)
        configuration.web = try web.site(settings)
    }

    private func applyPush(to push: inout PushSettings, _ settings: Settings) throws {
        push.allowsPrivateAddresses = try settings.isOn(pushToPrivateAddresses, "push.to.private.addresses")
        guard let contact = try settings.optional(pushContact, "push.contact") else { return }
        guard contact.hasPrefix("mailto:") || contact.hasPrefix("https://"), !contact.contains(where: \.isWhitespace)
        else { throw ValidationError("--push-contact must begin with mailto: or https://") }
        push.contact = contact
    }

    private func applyMail(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        let sender = try settings.optional(mailFrom, "mail.from")
        guard let text = try settings.optional(mailCommand, "mail.command") else {
            if sender != nil { throw ValidationError("--mail-from goes with --mail-command") }
            return
        }
        guard var command = MailCommand(text) else {
            throw ValidationError("--mail-command must be a program and its arguments, like 'msmtp -t'")
        }
        if let sender, sender.contains(where: \.isNewline) { throw ValidationError("--mail-from must be one line") }
        command.sender = sender
        configuration.mail = command
    }

    private func applyIdentity(to configuration: inout ServiceConfiguration, _ settings: Settings) throws {
        let parts = try [
            settings.optional(oidcIssuer, "oidc.issuer"), settings.optional(oidcAudience, "oidc.audience"),
            settings.optional(oidcJwks, "oidc.jwks"),
        ].compactMap(\.self)
        let name = try settings.optional(oidcName, "oidc.name")
        let secretFile = try settings.optional(oidcClientSecretFile, "oidc.client.secret.file")
        if parts.isEmpty, name == nil, secretFile == nil { return }
        guard parts.count == 3 else {
            throw ValidationError("--oidc-issuer, --oidc-audience and --oidc-jwks go together")
        }
        var provider = IdentityProvider(issuer: parts[0], audience: parts[1], keys: parts[2])
        if let name {
            let secret = try secretFile.map { file in
                guard let text = try? String(contentsOfFile: file, encoding: .utf8),
                    let secret = text.split(whereSeparator: \.isWhitespace).first
                else { throw ValidationError("--oidc-client-secret-file: \(file) can't be read, or is empty") }
                return String(secret)
            }
            provider.browsers = IdentityProvider.Browsers(name: name, secret: secret)
        } else if secretFile != nil {
            throw ValidationError("--oidc-client-secret-file needs --oidc-name: only browsers sign in with it")
        }
        configuration.identity = provider
    }

    private func networks(_ text: String, _ flag: String) throws -> [IPNetwork] {
        try text.split(separator: ",").map { part in
            guard let network = IPNetwork(String(part.filter { $0 != " " })) else {
                throw ValidationError("\(flag) must be addresses or networks like 10.0.0.0/8, with commas between them")
            }
            return network
        }
    }
}
