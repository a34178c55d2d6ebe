import ArgumentParser
import TrolleyClient
import TrolleyWire

struct ListsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists",
        abstract: "Show the lists on this device; '*' is the current one.",
        discussion: """
            Example:
              trolley lists
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists()
        if lists.isEmpty { console.say(CommandError.noList.description) }
        for list in lists {
            var line = "\(list.isCurrent ? "*" : " ") \(list.name ?? "(no name)")  \(list.wanted) to buy"
            if list.others > 0 { line += ", shared with \(list.others)" }
            if list.isLocal {
                line += ", on this device alone"
            } else if list.waiting > 0 {
                line += ", \(list.waiting) waiting to be sent"
            }
            console.say(line)
        }
        console.answer { writer in
            writer.key("lists")
            writer.array { writer in
                for list in lists { writer.object { list.write(to: &$0) } }
            }
        }
    }
}

extension ListSummary {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("colour", colour)
        writer.key("current")
        writer.bool(isCurrent)
        writer.key("local")
        writer.bool(isLocal)
        writer.member("wanted", wanted)
        writer.member("markedOff", markedOff)
        writer.member("others", others)
        writer.member("waiting", waiting)
    }
}
