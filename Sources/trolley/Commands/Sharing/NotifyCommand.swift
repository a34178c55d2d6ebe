import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct NotifyCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "notify",
            abstract: localized(
                "Show what others have done on a list since you last read it, or choose your notifications.",
                de: """
                    Zeigen, was andere auf einer Liste getan haben, seit du sie gelesen hast, oder deine Mitteilungen wählen.
                    """),
            discussion: discussion(
                """
                When somebody leaves a list, or has changed nothing on it for two minutes, the others get a summary of what
                they have not seen. The setting holds for one list, on all your devices: all (each message and each added item
                at once, and summaries), summaries, or nothing. Browsers in which you have switched notices on get them, and
                webhooks (trolley webhooks).
                """,
                de: """
                    Wenn jemand eine Liste verlässt oder zwei Minuten lang nichts auf ihr geändert hat, bekommen die anderen \
                    eine Zusammenfassung von dem, was sie nicht gesehen haben. Die Einstellung gilt für eine Liste, auf allen \
                    deinen Geräten: all (jede Nachricht und jeder neue Eintrag sofort, dazu Zusammenfassungen), summaries \
                    (Zusammenfassungen) oder nothing (nichts). Browser, in denen du Mitteilungen eingeschaltet hast, bekommen \
                    sie, und Webhooks (trolley webhooks).
                    """,
                examples: """
                    trolley notify
                    trolley notify nothing --list Party
                    """))
    }

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

    @Argument(
        help: .localized(
            "What you want to be told: all, summaries or nothing. Without it, nothing is set.",
            de: "Was du erfahren willst: all, summaries oder nothing. Ohne Angabe ändert sich nichts."))
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
        let name = list.name ?? list.id.description
        console.say(localized("'\(name)': \(level.words)", de: "„\(name)“: \(level.words)"))
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
        case .all:
            localized(
                "you are told of each message and each added item at once, and get summaries.",
                de: "du erfährst jede Nachricht und jeden neuen Eintrag sofort und bekommst Zusammenfassungen.")
        case .summaries: localized("you get summaries.", de: "du bekommst Zusammenfassungen.")
        case .nothing: localized("you are told nothing.", de: "du erfährst nichts.")
        }
    }
}
