import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WhoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "who",
        abstract: "Show which of the others have a list open now, and how much of it they have seen.",
        discussion: """
            A list's changes are numbered, as in 'trolley activity'.

            Example:
              trolley who
              trolley who --list Party --json
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let delivery = try await ProgressBar(device: device).during { try await device.list(list.id).delivery() }
        for person in delivery.people {
            var words = person.isPresent ? ["has the list open"] : []
            words.append(person.read > .start ? "has seen up to \(person.read.rawValue)" : "has seen nothing yet")
            if person.received > person.read { words.append("has up to \(person.received.rawValue) on a device") }
            console.say("\(person.participant.displayName)  \(words.joined(separator: ", "))")
        }
        if delivery.people.isEmpty { console.say("Nobody else is on '\(list.name ?? list.id.description)'.") }
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
