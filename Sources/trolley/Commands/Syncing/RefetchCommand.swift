import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync

struct RefetchCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "refetch",
            abstract: localized(
                "Fetch one list or all lists again; unsent changes stay.",
                de: "Eine Liste oder alle neu holen; nicht gesendete Änderungen bleiben."),
            discussion: discussion(
                examples: """
                    trolley refetch
                    """))
    }

    @Option(
        help: .localized("Only this list, by name or id.", de: "Nur diese Liste, mit Namen oder Kennung."),
        completion: .lists)
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
                let name = list.name ?? list.id.description
                console.say(
                    after[list.id] == nil
                        ? localized(
                            "'\(name)' is no longer on the service for you.",
                            de: "„\(name)“ gibt es beim Dienst für dich nicht mehr.")
                        : before[list.id] == after[list.id]
                            ? localized(
                                "'\(name)' was fetched afresh: it is as it was.",
                                de: "„\(name)“ wurde neu geholt: Nichts ist anders.")
                            : localized(
                                "'\(name)' was fetched afresh: it has changed.",
                                de: "„\(name)“ wurde neu geholt: Etwas ist anders."))
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
