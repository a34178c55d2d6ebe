import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct AislesCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "aisles",
        abstract: "Show a list's aisles in the order in which you walk through them, or say in which.",
        discussion: """
            The order is the list's own: everybody on it has it. Aisles that you don't name follow in the order in which they come on
            the list; what has no aisle comes last.

            Example:
              trolley aisles
              trolley aisles Produce Bakery Dairy
              trolley aisles --reset
            """)

    @Argument(help: "All aisles whose order matters, the first one first.")
    var aisles: [String] = []

    @Flag(help: "Forget the order.")
    var reset = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if reset, !aisles.isEmpty { throw ValidationError("Give aisles, or --reset.") }
        if aisles.contains(where: { $0.trimmed.isEmpty }) { throw ValidationError("An aisle can't be without a name.") }
        if aisles.contains(where: { $0.contains(where: \.isNewline) }) {
            throw ValidationError("An aisle's name is one line.")
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        var report: SyncReport?
        if reset || !aisles.isEmpty {
            try await device.perform([.orderAisles(aisles.map(\.trimmed))], on: list.id)
        }
        // Before sending: that may bring the news that the list is gone.
        let state = try await device.state(of: list.id)
        let rows = try await device.shownRows(of: list.id)
        if reset || !aisles.isEmpty { report = try await device.syncAfterChange() }
        var shown = state.aisles
        for aisle in rows.compactMap(\.aisle) where !shown.contains(where: { $0.isSameAisle(as: aisle) }) {
            shown.append(aisle)
        }
        for aisle in shown {
            let count = rows.count { !$0.isStruck && !$0.item.markedOff && $0.aisle?.isSameAisle(as: aisle) == true }
            console.say("\(aisle)  \(count) to buy")
        }
        if shown.isEmpty { console.say("No item has an aisle yet: trolley edit milk --aisle Dairy") }
        if let report { console.say(report) }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("aisles")
            writer.array { writer in
                for aisle in shown { writer.string(aisle) }
            }
            writer.key("order")
            writer.array { writer in
                for aisle in state.aisles { writer.string(aisle) }
            }
            if let report { writer.waiting(report) }
        }
        if let report { try console.finishChange(report) }
    }
}
