internal import Subprocess

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A program that runs to its end.
struct Program: Sendable {
    let command: [String]
    /// Nil: this process's own.
    var user: ServerUser?
    var input = ""

    struct Outcome: Sendable {
        let succeeded: Bool
        /// What it printed, standard error included.
        let output: String
    }

    /// In `/`, because the server's user may not be allowed where this process is.
    func run() async throws -> Outcome {
        let line = ["sh", "-c", "cd / && exec \"$@\"", "sh"] + command
        let (executable, arguments) = user?.launch(line) ?? (.name("sh"), Arguments(Array(line.dropFirst())))
        let result = try await Subprocess.run(
            executable,
            arguments: arguments,
            environment: .inherit.updating(["LC_ALL": "C"]),
            platformOptions: .ownSession,
            input: .string(input),
            output: .string(limit: 1 << 20),
            error: .combinedWithOutput)
        return Outcome(succeeded: result.terminationStatus.isSuccess, output: result.standardOutput)
    }
}

extension ServerUser {
    /// `line` as this user.
    ///
    /// By setpriv, and not by Subprocess itself: between fork and exec, glibc's `setuid` takes locks that another thread
    /// may have held when the process was copied, and then waits for ever.
    func launch(_ line: [String]) -> (Executable, Arguments) {
        // Root may have given its rights up since.
        let prefix =
            isOther && geteuid() == 0 ? ["setpriv", "--reuid=\(id)", "--regid=\(group)", "--clear-groups", "--"] : []
        let all = prefix + line
        return (.name(all[0]), Arguments(Array(all.dropFirst())))
    }
}

extension PlatformOptions {
    /// A session of its own: Ctrl-C is the service's to hear, which stops the server when it has done with it.
    static var ownSession: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        return options
    }
}
