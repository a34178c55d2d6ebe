import Glibc

/// The output of `serve` when it is ready: its address, and the next command to type.
struct Announcement {
    let host: String
    /// Whether the service uses TLS.
    let isSecure: Bool
    /// Whether the service serves the web app.
    let hasWebApp: Bool
    /// Whether it serves none only because none is there.
    let lacksWebApp: Bool
    let json: Bool

    func print(port: Int) {
        let isLocal = ["0.0.0.0", "::", "::1", "localhost"].contains(host) || host.hasPrefix("127.")
        let reachable = host == "0.0.0.0" || host == "::" ? "localhost" : host.contains(":") ? "[\(host)]" : host
        let address = "\(isSecure ? "https" : "http")://\(reachable):\(port)"
        if json {
            Swift.print(#"{"address":"\#(address)"}"#)
        } else {
            Swift.print(
                """

                Trolley serves at \(address)
                \(hasWebApp ? "Open it in a browser; or type in another shell:" : "Next, in another shell:")

                  \(deviceCommand) sign-up \(address) --email you@example.com --name You\(isSecure || isLocal ? "" : " --insecure")

                \(lacksWebApp ? "It has no web app: \(WebOptions.absence). \(WebOptions.advice)\n" : "")Stop with Ctrl-C.

                """)
        }
        // The parent process may read standard output through a pipe.
        fflush(nil)
    }

    /// The `trolley` command to type: the path beside this `trolleyd`, or only the name when `trolleyd` was started
    /// without a path.
    private var deviceCommand: String {
        let command = CommandLine.arguments.first ?? "trolleyd"
        guard let slash = command.lastIndex(of: "/") else { return "trolley" }
        return command[...slash] + "trolley"
    }
}
