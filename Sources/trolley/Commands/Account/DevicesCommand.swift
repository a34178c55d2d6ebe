import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct DevicesCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "devices",
            abstract: localized(
                "Show the account's devices, or sign out another device.",
                de: "Die Geräte des Kontos zeigen, oder ein anderes Gerät abmelden."),
            discussion: discussion(
                """
                A device that was signed out, such as a lost phone, can't sync any more.
                """,
                de: """
                    Ein abgemeldetes Gerät, etwa ein verlorenes Telefon, kann nichts mehr abgleichen.
                    """,
                examples: """
                    trolley devices
                    trolley devices --sign-out 0199b2c4-0000-7000-8000-0000000000d1
                    """))
    }

    @Option(
        help: .localized(
            "Sign this device out, by its id or its name.", de: "Dieses Gerät abmelden, mit Kennung oder Namen."))
    var signOut: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        var devices = try await device.account.devices()
        if let signOut {
            let found = try devices.named(signOut)
            if found.current { throw CommandError.thisDevice }
            try await device.account.signOut(found.id)
            console.say(localized("'\(found.name)' is signed out.", de: "„\(found.name)“ ist abgemeldet."))
            devices.removeAll { $0.id == found.id }
        } else {
            let table = Table(devices.map(\.cells), shrinkableColumn: 1)
            for line in table.lines(width: Terminal.size.columns) { console.say(line) }
        }
        console.answer { writer in
            writer.key("devices")
            writer.array { writer in
                for device in devices { writer.object { device.write(to: &$0) } }
            }
        }
    }
}

extension [DeviceResponse] {
    /// The device with this id, or the only one with this name.
    fileprivate func named(_ name: String) throws -> DeviceResponse {
        if let device = first(where: { $0.id.description == name.lowercased() }) { return device }
        let found = filter { $0.name.lowercased() == name.lowercased() }
        guard let device = found.first else { throw CommandError.noSuchDevice(name) }
        guard found.count == 1 else {
            throw CommandError.ambiguousDevice(name, found.map { "  \($0.id)  \($0.lastHere)" })
        }
        return device
    }
}

extension DeviceResponse {
    fileprivate var cells: [String] {
        [id.description, name, current ? localized("this device", de: "dieses Gerät") : lastHere]
    }

    fileprivate var lastHere: String {
        localized("last here \(lastSeenAt.words)", de: "zuletzt hier \(lastSeenAt.words)")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("createdAt", createdAt.description)
        writer.member("lastSeenAt", lastSeenAt.description)
        writer.key("current")
        writer.bool(current)
    }
}
