import ArgumentParser

/// A failed command's JSON document. Standard error has the message too, for a person.
struct Failure: Encodable {
    struct Reason: Encodable {
        let message: String
    }
    let error: Reason

    /// Nil without `--json`, for help, and after a command that has printed its own document.
    init?(_ error: any Error) {
        guard !(error is ExitCode), Trolleyd.exitCode(for: error) != .success, Self.isWanted else { return nil }
        self.error = Reason(message: Trolleyd.message(for: error))
    }

    func print() {
        do { try printJSON(self) } catch {
            // It is said on standard error all the same.
        }
    }

    // The arguments may be the mistake, so they are searched unparsed.
    private static var isWanted: Bool {
        CommandLine.arguments.dropFirst().contains("--json") || ((try? Settings().isOn(false, "json")) ?? false)
    }
}
