import Glibc

/// The output of `serve` when it is ready: its address, on a terminal a code for phones, and the next command to type.
struct Announcement {
    let host: String
    /// Whether the service uses TLS.
    let isSecure: Bool
    /// Whether the service serves the web app.
    let hasWebApp: Bool
    /// Whether it serves none only because none is there.
    let lacksWebApp: Bool
    /// Whether a person sees the output at once.
    var isTerminal = isatty(STDOUT_FILENO) == 1
    /// This machine's address in its network.
    var networkAddress = LocalNetwork.address()
    let json: Bool

    func print(port: Int) {
        Swift.print(text(port: port))
        // The parent process may read standard output through a pipe.
        fflush(nil)
    }

    func text(port: Int) -> String {
        let reachable = listensEverywhere ? "localhost" : host
        let address = address(of: reachable, port)
        if json { return #"{"address":"\#(address)"}"# }
        let isLocal = listensEverywhere || isOnThisMachineOnly
        return """

            Trolley serves at \(address)
            \(isTerminal && hasWebApp ? phones(port) : "")\
            \(hasWebApp ? "Open it in a browser and sign up; or type in another shell:" : "Next, in another shell:")

              \(deviceCommand) sign-up \(address) --email you@example.com --name You\(isSecure || isLocal ? "" : " --insecure")

            \(lacksWebApp ? "It has no web app: \(WebOptions.absence). \(WebOptions.advice)\n" : "")Stop with Ctrl-C.

            """
    }

    private var listensEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

    private var isOnThisMachineOnly: Bool { ["::1", "localhost"].contains(host) || host.hasPrefix("127.") }

    private func address(of host: String, _ port: Int) -> String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// How a phone in the same network opens the app, and what that needs.
    private func phones(_ port: Int) -> String {
        if isOnThisMachineOnly {
            return """
                Only this machine reaches it. For phones in your network start it with --host 0.0.0.0 and a certificate
                (--tls-certificate, --tls-key), or put a proxy with TLS in front.

                """
        }
        if isSecure { return "On a phone open it by the name that is in its certificate.\n" }
        guard let name = listensEverywhere ? networkAddress : host else { return "" }
        let address = address(of: name, port)
        guard let code = QRCode(address) else { return "" }
        return """
            On a phone in the same network: \(address)

            \(code.lines.joined(separator: "\n"))

            Without TLS everybody in this network can read passwords and lists, and phones don't open the app offline.

            """
    }

    /// The `trolley` command to type: the path beside this `trolleyd`, or only the name when `trolleyd` was started
    /// without a path.
    private var deviceCommand: String {
        let command = CommandLine.arguments.first ?? "trolleyd"
        guard let slash = command.lastIndex(of: "/") else { return "trolley" }
        return command[...slash] + "trolley"
    }
}
