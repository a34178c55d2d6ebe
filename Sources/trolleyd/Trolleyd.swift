import ArgumentParser

@main
struct Trolleyd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trolleyd",
        abstract: "The Trolley service: keeps shopping lists in step between devices.",
        discussion: """
            Every option can be set in the environment too: --database-url is TROLLEY_DATABASE_URL.

            Example:
              trolleyd serve --port 8080
            """,
        version: version,
        subcommands: [
            Serve.self, Migrate.self, Compress.self, EpochCommand.self, DoctorCommand.self, DiagnosticsCommand.self,
            Invite.self, ExportCommand.self, ImportCommand.self,
        ])

    static let version = "0.1.0"

    static func main() async {
        Memory.keepForTheNextPage()
        await main(nil)
    }
}
