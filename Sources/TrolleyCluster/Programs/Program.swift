internal import Subprocess

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Runs a program to its end.
struct Program: Sendable {
    let command: [String]
    /// The user to run as. Nil: this process's user.
    var user: ServerUser?
    var input = ""

    struct Outcome: Sendable {
        let succeeded: Bool
        /// The program's output, including standard error.
        let output: String
    }

    /// Runs in `/`, because the server's user may not be allowed to enter this process's directory.
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
    /// The command that runs `line` as this user.
    ///
    /// Uses setpriv instead of Subprocess's own option: between fork and exec, glibc's `setuid` takes locks that
    /// another thread may have held at the time of the fork, and then waits for ever.
    func launch(_ line: [String]) -> (Executable, Arguments) {
        let all = launchPrefix + line
        return (.name(all[0]), Arguments(Array(all.dropFirst())))
    }

    /// What stands before the command. No word in it has a space.
    var launchPrefix: [String] {
        // The process may have stopped being root meanwhile.
        isOther && geteuid() == 0 ? ["setpriv", "--reuid=\(id)", "--regid=\(group)", "--clear-groups", "--"] : []
    }
}

extension PlatformOptions {
    /// Runs the program in a session of its own. So Ctrl-C reaches only the service, which stops the server when it no
    /// longer needs it.
    static var ownSession: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        return options
    }
}
