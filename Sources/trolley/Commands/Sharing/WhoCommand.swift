import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WhoCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "who",
            abstract: localized(
                "Show which of the others have a list open now, and how much of it they have seen.",
                de: "Zeigen, wer von den anderen eine Liste gerade offen hat und wie viel davon gesehen ist."),
            discussion: discussion(
                """
                A list's changes are numbered, as in 'trolley activity'.
                """,
                de: """
                    Die Änderungen einer Liste sind nummeriert, wie in „trolley activity“.
                    """,
                examples: """
                    trolley who
                    trolley who --list Party --json
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let delivery = try await ProgressBar(device: device).during { try await device.list(list.id).delivery() }
        for person in delivery.people {
            var words = person.isPresent ? [localized("has the list open", de: "hat die Liste offen")] : []
            words.append(
                person.read > .start
                    ? localized(
                        "has seen up to \(person.read.rawValue)", de: "hat bis \(person.read.rawValue) alles gesehen")
                    : localized("has seen nothing yet", de: "hat noch nichts gesehen"))
            if person.received > person.read {
                words.append(
                    localized(
                        "has up to \(person.received.rawValue) on a device",
                        de: "hat bis \(person.received.rawValue) alles auf einem Gerät"))
            }
            console.say("\(person.participant.displayName)  \(words.joined(separator: ", "))")
        }
        if delivery.people.isEmpty {
            console.say(
                localized(
                    "Nobody else is on '\(list.name ?? list.id.description)'.",
                    de: "Sonst ist niemand auf „\(list.name ?? list.id.description)“."))
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("people")
            writer.array { writer in
                for person in delivery.people {
                    writer.object { writer in
                        writer.member("account", person.participant.account)
                        writer.member("name", person.participant.displayName)
                        writer.member("isPresent", person.isPresent)
                        writer.member("received", person.received)
                        writer.member("read", person.read)
                    }
                }
            }
        }
    }
}
