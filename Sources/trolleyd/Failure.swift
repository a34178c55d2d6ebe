import ArgumentParser

/// The JSON document of a failed command. The message is on standard error as well.
struct Failure: Encodable {
    struct Reason: Encodable {
        let message: String
    }
    let error: Reason

    /// Nil without `--json`, for help, and after a command that has printed its own document.
    init?(_ error: any Error) {
        guard !(error is ExitCode), Trolleyd.exitCode(for: error) != .success, Self.isJSONRequested else { return nil }
        self.error = Reason(message: Trolleyd.message(for: error))
    }

    func print() {
        do { try printJSON(self) } catch {
            // The message is on standard error anyway.
        }
    }

    // Searches the unparsed arguments, because they may be what failed to parse.
    private static var isJSONRequested: Bool {
        CommandLine.arguments.dropFirst().contains("--json") || ((try? Settings().isOn(false, "json")) ?? false)
    }
}
