import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct WatchCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "watch",
            abstract: localized(
                "Show a list and keep it up to date until you leave it.",
                de: "Eine Liste zeigen und aktuell halten, bis du sie verlässt."),
            discussion: discussion(
                """
                In a terminal it takes the whole screen: the list, what waits to be sent and to be applied, who else has the
                list open, the last messages, summaries of what others did, and how the device stands with its service. Keys: q leaves, t shows what others have added, s
                syncs at once, j and k scroll; n and p look at the next and the previous item, and x marks it off. The others
                who have the list open see that at once. In a pipe the list is printed each time that it changes, with --json as one
                document a line.
                """,
                de: """
                    In einem Terminal nimmt der Befehl den ganzen Bildschirm: die Liste, was zu senden und zu übernehmen ist, \
                    wer die Liste auch offen hat, die letzten Nachrichten, Zusammenfassungen, was andere getan haben, und wie \
                    das Gerät zum Dienst steht. Tasten: q beendet, t zeigt, was andere hinzugefügt haben, s gleicht sofort ab, \
                    j und k blättern; n und p sehen sich den nächsten und den vorigen Eintrag an, und x hakt ihn ab. Wer die \
                    Liste auch offen hat, sieht das sofort. In einer Pipe wird die Liste bei jeder Änderung ausgegeben, mit \
                    --json als ein Dokument je Zeile.
                    """,
                examples: """
                    trolley watch
                    """))
    }

    @Option(
        help: ArgumentHelp(
            localized(
                "Seconds between two syncs; the service also announces changes at once.",
                de: "Sekunden zwischen zwei Abgleichen; der Dienst meldet Änderungen auch sofort."),
            valueName: "seconds"),
        transform: { try wholeNumber($0, from: 1, suchAs: 10) })
    var every: Int = 10

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        do {
            try await watch(list, on: device, console)
        } catch DeviceError.store(.noSuchList(list.id)) {
            guard let notice = try await device.notices().last(where: { $0.list == list.id }) else {
                throw CommandError.noSuchList(list.name ?? list.id.description)
            }
            throw CommandError.left(notice)
        }
    }

    private func watch(_ list: ListSummary, on device: Device, _ console: Console) async throws {
        if console.terminal.isTerminal, !console.json {
            let session = WatchSession(device: device, list: list.id, interval: .seconds(every))
            let watched: Void? = try await Screen.with { try await session.run(on: $0) }
            if watched != nil { return }
        }
        var shown: View?
        var peoplePresent: [String] = []
        var report = SyncReport()
        for await event in device.events(every: .seconds(every), open: list.id) {
            switch event {
            case .sync(let trigger): report = try await device.sync(trigger, within: .seconds(20))
            case .presence(list.id): peoplePresent = await self.peoplePresent(on: list.id, device)
            case .presence, .summary: continue
            }
            let view = View(
                state: try await device.list(list.id).state(), rows: try await device.list(list.id).shownRows(),
                waiting: report.waiting,
                toApply: try await device.list(list.id).toApply().count,
                peoplePresent: peoplePresent,
                trouble: try await trouble(of: report, device))
            if view != shown { show(view, of: list.id, console) }
            if try await device.list(list.id).summary().unread > 0 { await noteRead(list.id, device) }
            shown = view
            // Detects a closed pipe, because nothing may be written for long.
            if Terminal.hasLostReader { return }
        }
    }

    private func trouble(of report: SyncReport, _ device: Device) async throws -> String? {
        guard let failure = report.failure else { return nil }
        return try await device.ongoingFailure().map { $0.words() } ?? failure.words()
    }

    /// Reports that this person has the list open. Returns the others who do; empty on failure.
    private func peoplePresent(on list: ListID, _ device: Device) async -> [String] {
        do { return try await device.list(list).announcePresence().map(\.displayName) } catch { return [] }
    }

    /// A failure is harmless: the next change reports it again.
    private func noteRead(_ list: ListID, _ device: Device) async {
        do { try await device.list(list).markRead() } catch { return }
    }

    /// The printed content.
    private struct View: Hashable {
        var state: ListState
        /// Its items as they are numbered.
        var rows: [ShownRow]
        var waiting: Int
        var toApply: Int
        var peoplePresent: [String]
        var trouble: String?
    }

    private func show(_ view: View, of list: ListID, _ console: Console) {
        console.answer { writer in
            writer.member("id", list)
            view.state.writeMembers(to: &writer)
            writer.member("waiting", view.waiting)
            writer.member("toApply", view.toApply)
            writer.key("here")
            writer.array { writer in for name in view.peoplePresent { writer.string(name) } }
        }
        guard !console.json else { return }
        let terminal = console.terminal
        var lines = [terminal.bold(view.state.name ?? ListSummary.unnamed)]
        lines += ItemTable(rows: view.rows, terminal: terminal).lines()
        var status = [
            localized("\(view.waiting) to send", de: "\(view.waiting) zu senden"),
            localized("\(view.toApply) to apply", de: "\(view.toApply) zu übernehmen"),
        ]
        if !view.peoplePresent.isEmpty {
            let names = view.peoplePresent.joined(separator: ", ")
            status.append(localized("also here: \(names)", de: "auch da: \(names)"))
        }
        if let trouble = view.trouble { status.append(trouble) }
        lines.append(terminal.dim(status.joined(separator: " · ")))
        console.say(lines.joined(separator: "\n"))
        Terminal.flush()
    }
}
