import Glibc

/// What `serve` says when it is ready: where, and what to type next.
struct Announcement {
    let host: String
    /// Whether it speaks TLS.
    let isSecure: Bool
    let json: Bool

    func print(port: Int) {
        let reachable = host == "0.0.0.0" || host == "::" ? "localhost" : host.contains(":") ? "[\(host)]" : host
        let address = "\(isSecure ? "https" : "http")://\(reachable):\(port)"
        if json {
            Swift.print(#"{"address":"\#(address)"}"#)
        } else {
            Swift.print(
                """

                Trolley serves at \(address)
                Next, in another shell:

                  \(deviceCommand) sign-up \(address) --email you@example.com --name You

                Stop with Ctrl-C.

                """)
        }
        // Whoever started us may be reading from a pipe.
        fflush(nil)
    }

    /// The `trolley` beside this `trolleyd`, as one would type it; by its name alone when it is on the path.
    private var deviceCommand: String {
        let command = CommandLine.arguments.first ?? "trolleyd"
        guard let slash = command.lastIndex(of: "/") else { return "trolley" }
        return command[...slash] + "trolley"
    }
}
