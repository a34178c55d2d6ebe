import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync

struct RefetchCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "refetch",
        abstract: "Fetch one list or all lists again; unsent changes stay.",
        discussion: """
            Example:
              trolley refetch
            """)

    @Option(help: "Only this list, by name or id.", completion: .lists)
    var list: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists().filter { !$0.isLocal }
        let only = try list.map { try lists.named($0) }
        let asked = only.map { [$0] } ?? lists
        let before = try await device.states(of: asked)
        let report = try await ProgressBar(device: device).during { [only] in try await device.refetch(only?.id) }
        if report.failure == nil {
            let after = try await device.states(of: asked)
            for list in asked {
                let name = "'\(list.name ?? list.id.description)'"
                console.say(
                    after[list.id] == nil
                        ? "\(name) is no longer on the service for you."
                        : before[list.id] == after[list.id]
                            ? "\(name) was fetched afresh: it is as it was."
                            : "\(name) was fetched afresh: it has changed.")
            }
        }
        try console.finish(report)
    }
}

extension Device {
    /// The lists that are still here, by id.
    fileprivate func states(of lists: [ListSummary]) async throws -> [ListID: ListState] {
        let here = Set(try await self.lists().map(\.id))
        var states: [ListID: ListState] = [:]
        for list in lists where here.contains(list.id) { states[list.id] = try await self.list(list.id).state() }
        return states
    }
}
