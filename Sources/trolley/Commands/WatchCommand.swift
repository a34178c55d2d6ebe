import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct WatchCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show a list and keep it up to date until you press Ctrl-C.",
        discussion: """
            In a terminal the list is redrawn in place. In a pipe it is printed each time that it changes, with --json as
            one document a line.

            Example:
              trolley watch
            """)

    @Option(help: "Seconds between two looks at the service, which hints when something is new.")
    var every: Int = 10

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if every < 1 { throw ValidationError("Give at least one second.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        var shown: View?
        for await trigger in device.triggers(every: .seconds(every)) {
            let report = try await device.sync(trigger, within: .seconds(20))
            let view = View(
                state: try await device.state(of: list.id), waiting: report.waiting,
                toApply: try await device.toApply(in: list.id).count, trouble: report.failure?.description)
            if view != shown { show(view, of: list.id, console) }
            shown = view
        }
    }

    /// What is on the screen.
    private struct View: Hashable {
        var state: ListState
        var waiting: Int
        var toApply: Int
        var trouble: String?
    }

    private func show(_ view: View, of list: ListID, _ console: Console) {
        console.answer { writer in
            writer.member("id", list)
            view.state.writeMembers(to: &writer)
            writer.member("waiting", view.waiting)
            writer.member("toApply", view.toApply)
        }
        guard !console.json else { return }
        let terminal = console.terminal
        var lines = [terminal.bold(view.state.name ?? "(no name)")]
        let width = String(view.state.items.count).count
        lines += view.state.items.enumerated().map { $1.line(at: $0 + 1, width: width, terminal) }
        var status = ["\(view.waiting) to send", "\(view.toApply) to apply"]
        if let trouble = view.trouble { status.append(trouble) }
        lines.append(terminal.dim(status.joined(separator: " · ")))
        console.say((terminal.showsColours ? "\u{1B}[H\u{1B}[2J" : "") + lines.joined(separator: "\n"))
    }
}
