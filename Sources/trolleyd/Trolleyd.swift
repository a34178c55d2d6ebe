import ArgumentParser
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@main
struct Trolleyd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trolleyd",
        abstract: "The Trolley service: keeps shopping lists in step between devices.",
        discussion: """
            Every option can also be set in the environment: --database-url is TROLLEY_DATABASE_URL.

            Example:
              trolleyd serve --port 8080
            """,
        version: version,
        subcommands: [
            ServeCommand.self, MigrateCommand.self, CompressCommand.self, EpochCommand.self, DoctorCommand.self,
            DiagnosticsCommand.self, BackupCommand.self, RestoreCommand.self,
            InviteCommand.self, AccountsCommand.self, ResetPasswordCommand.self, ExportCommand.self, ImportCommand.self,
            CertificateCommand.self, SetupCommand.self,
        ])

    static let version = SoftwareVersion.current

    static func main() async {
        Allocator.configure()
        do {
            // ArgumentParser would print the general help for an unknown command.
            if let name = CommandLine.arguments.dropFirst().first, !name.hasPrefix("-"), name != "help",
                !configuration.subcommands.contains(where: { $0.configuration.commandName == name })
            {
                throw ValidationError("There is no command '\(name)'.")
            }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let error = userFacing(error)
            Failure(error)?.print()
            end(error)
        }
    }

    /// Ends the process as ArgumentParser does. An error may quote what others wrote, such as an address.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        guard code != .success else { exit(withError: error) }
        let message = fullMessage(for: error)
        if !message.isEmpty { warn(message) }
        systemExit(code.rawValue)
    }
}

/// The C library's `exit`, which ArgumentParser's method of that name hides.
private func systemExit(_ code: Int32) -> Never { exit(code) }
