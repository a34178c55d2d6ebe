import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct PermissionCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "permission",
            abstract: localized(
                "Set whether a participant may change your list.", de: "Festlegen, ob jemand deine Liste ändern darf."),
            discussion: discussion(
                examples: """
                    trolley permission bob@example.com read-only
                    """))
    }

    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case readWrite = "read-write"
        case readOnly = "read-only"

        var permission: Permission { self == .readOnly ? .readOnly : .readWrite }
    }

    @Argument(help: .localized("The person, by email or name.", de: "Die Person, mit E-Mail-Adresse oder Namen."))
    var person: String

    @Argument(
        help: .localized(
            "The new permission: read-write or read-only.",
            de: "Was die Person darf: read-write (ändern) oder read-only (nur ansehen)."))
    var permission: Choice

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let participant = try await device.list(list.id).participants().person(named: person)
        let account = try participant.knownAccount()
        try await device.list(list.id).permit(permission.permission, to: account)
        let (who, name) = (participant.displayName, list.name ?? list.id.description)
        console.say(
            permission == .readOnly
                ? localized("\(who) may only read '\(name)'.", de: "\(who) darf „\(name)“ nur noch ansehen.")
                : localized("\(who) may change '\(name)'.", de: "\(who) darf „\(name)“ ändern."))
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("account", account)
            writer.member("permission", permission.permission.rawValue)
        }
    }
}
