import ArgumentParser
import TrolleyClient
import TrolleyJournal

/// A command that does something with this home's device.
protocol DeviceCommand: AsyncParsableCommand {
    var options: DeviceOptions { get }
    func run(on device: Device, _ console: Console) async throws
}

struct DeviceOptions: ParsableArguments {
    @Flag(help: "Print one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp("The directory of the device's files. [environment: TROLLEY_HOME]", valueName: "directory"),
        completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp(
            "Certificates in PEM to trust beside the system's, such as a household's own. [environment: TROLLEY_CA_FILE]",
            valueName: "file"))
    var caFile: String?
}

struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Another list than the current one, by name or id. [environment: TROLLEY_LIST]"),
        completion: .lists)
    var list: String?

    init() {}

    init(list: String?) { self.list = list }
}

extension DeviceCommand {
    func run() async throws {
        let settings = try Settings()
        let console = Console(json: options.json || settings.json)
        do {
            let device = try Device(
                directory: options.home ?? settings.home, authorities: options.caFile ?? settings.certificates)
            do {
                try await run(on: device, console)
            } catch {
                await device.close()
                throw error
            }
            await device.close()
        } catch let error as ExitCode {
            throw error
        } catch let error as ValidationError {
            throw error
        } catch {
            console.fail(error)
            throw ExitCode.failure
        }
    }
}

extension Device {
    /// The list that an option names, or the current one.
    func list(_ options: ListOptions) async throws -> ListSummary {
        if let name = try options.list ?? Settings().list { return try await lists().named(name) }
        guard let current = try await currentList() else { throw CommandError.noList(try await notices()) }
        return try await summary(of: current)
    }

    /// The same, for what only a list on the service has: people, and a history.
    func listOnService(_ options: ListOptions) async throws -> ListSummary {
        let list = try await list(options)
        if list.isLocal { throw CommandError.onThisDeviceAlone(list.name ?? list.id.description) }
        return list
    }
}
