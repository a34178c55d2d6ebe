internal import Subprocess

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
        let result = try await Subprocess.run(
            .name("sh"),
            arguments: Arguments(["-c", "cd / && exec \"$@\"", "sh"] + command),
            environment: .inherit.updating(["LC_ALL": "C"]),
            platformOptions: user?.platformOptions ?? PlatformOptions(),
            input: .string(input),
            output: .string(limit: 1 << 20),
            error: .combinedWithOutput)
        return Outcome(succeeded: result.terminationStatus.isSuccess, output: result.standardOutput)
    }
}

extension ServerUser {
    /// A session of its own: Ctrl-C is the service's to hear, which stops the server when it has done with it.
    var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.createSession = true
        if isOther {
            options.userID = id
            options.groupID = group
            options.supplementaryGroups = [group]
        }
        return options
    }
}
