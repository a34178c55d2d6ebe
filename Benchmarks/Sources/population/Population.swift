import ArgumentParser

@main
struct Population: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Devices by the thousand, against a service on this machine. Prints one JSON document.",
        discussion: """
            The service's database is filled by comparison/fixtures; Benchmarks/run does all that.

            Example:
              population events --port 8080 --streams 1000 --rate 1000
            """,
        subcommands: [Events.self, Idle.self, Households.self, Rooms.self, Sockets.self])
}
