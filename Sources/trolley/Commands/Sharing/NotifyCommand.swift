import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct NotifyCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Show what others have done on a list since you last read it, or choose your notifications.",
        discussion: """
            When somebody leaves a list, or has changed nothing on it for two minutes, the others get a summary of what
            they have not seen. The setting holds for one list, on all your devices: all (each message and each added item
            at once, and summaries), summaries, or nothing. Browsers in which you have switched notices on get them, and
            webhooks (trolley webhooks).

            Example:
              trolley notify
              trolley notify nothing --list Party
            """)

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case all, summaries, nothing

        var level: NotificationLevel {
            switch self {
            case .all: .all
            case .summaries: .summaries
            case .nothing: .nothing
            }
        }
    }

    @Argument(help: "What you want to be told: all, summaries or nothing. Without it, nothing is set.")
    var level: Choice?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let (level, summaries) = try await ProgressBar(device: device).during { [level] in
            if let level { try await device.list(list.id).setNotificationLevel(level.level) }
            return (
                try await device.list(list.id).notificationLevel(),
                try await device.notifications.summaries().filter { $0.list == list.id }
            )
        }
        for summary in summaries.reversed() {
            console.say(console.terminal.dim(summary.madeAt.words) + "  " + summary.words)
        }
        console.say("'\(list.name ?? list.id.description)': \(level.words)")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("level", level.rawValue)
            writer.member("summaries", summaries)
        }
    }
}

extension NotificationLevel {
    fileprivate var words: String {
        switch self {
        case .all: "you are told of each message and each added item at once, and get summaries."
        case .summaries: "you get summaries."
        case .nothing: "you are told nothing."
        }
    }
}
