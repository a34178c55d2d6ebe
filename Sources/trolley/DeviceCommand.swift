import ArgumentParser
import Logging
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A command that uses the device in the home directory.
protocol DeviceCommand: AsyncParsableCommand {
    var options: DeviceOptions { get }
    func run(on device: Device, _ console: Console) async throws
}

/// A command that changes a list as soon as it can: it finds the list in what the program reads first anyway.
protocol ListCommand: DeviceCommand {
    var list: ListOptions { get }
    func run(on device: Device, _ console: Console, after opening: DeviceOpening) async throws
}

extension ListCommand {
    func run(on device: Device, _ console: Console) async throws {
        try await run(on: device, console, after: device.opening(naming: list.name != nil))
    }
}

extension DeviceCommand {
    func run() async throws {
        let settings = try Settings()
        let console = Console(json: options.json || settings.json)
        do {
            let device = try Device(
                directory: options.home ?? settings.home,
                authorities: options.caFile ?? settings.certificates,
                allowsPlainHTTP: options.insecure || settings.insecure,
                language: (options.language ?? settings.language).code,
                logger: (options.log ?? settings.log).map(Logger.onStandardError))
            do {
                try await answer(on: device, console)
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

    /// Runs the command. Then prints news: a list that left the device, or a problem with the session.
    func answer(on device: Device, _ console: Console) async throws {
        let command = self as? any ListCommand
        let opening = try await device.opening(naming: command?.list.name != nil)
        let before = Set(opening.notices)
        do {
            if let command {
                try await command.run(on: device, console, after: opening)
            } else {
                try await run(on: device, console)
            }
        } catch let error as ExitCode {
            try await console.sayNewNotices(of: device, since: before)
            throw error
        } catch DeviceError.store(.noSuchList(let list)) {
            // It may have left while the command ran.
            guard let notice = try await device.notices().last(where: { $0.list == list }), !before.contains(notice)
            else { throw DeviceError.store(.noSuchList(list)) }
            throw CommandError.left(notice)
        } catch let error as DeviceError where error.problem?.code == .notAuthenticated {
            // A command that doesn't sync may be the first to find out.
            try await device.noteSessionEnded(shownBy: error)
            console.fail(error)
            try await console.sayNewNotices(of: device, since: before)
            throw ExitCode.failure
        }
        try await console.sayNewNotices(of: device, since: before)
    }
}

extension Logger {
    /// - Parameter level: lines below it are left out.
    fileprivate static func onStandardError(level: Level) -> Logger {
        var logger = Logger(label: "trolley") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

extension Console {
    fileprivate func sayNewNotices(of device: Device, since before: Set<Notice>) async throws {
        for notice in try await device.notices() where !before.contains(notice) { say(notice.sentence) }
        if !json { try await device.advise() }
    }
}

extension Device {
    /// The list that the option names, or the current one. Unread changes are not counted.
    func list(_ options: ListOptions) async throws -> ListSummary {
        if let name = try options.name { return try await list(named: name) }
        guard let current = try await currentList() else {
            let notices = try await notices()
            throw try await lists().isEmpty ? CommandError.noList(notices) : .noCurrentList(notices.last)
        }
        return try await current.summaryWithoutUnread()
    }

    /// The same list, found in what was read before.
    func list(_ options: ListOptions, in opening: DeviceOpening) async throws -> ShoppingList {
        if let name = try options.name {
            let found = opening.names.map { NamedList(id: $0.id, name: $0.name) }.matching(name)
            // For the error, and because owners tell lists of one name apart.
            guard found.count == 1 else { return list(try await lists().named(name).id) }
            return list(found[0])
        }
        if let current = opening.current { return list(current) }
        throw try await lists().isEmpty ? CommandError.noList(opening.notices) : .noCurrentList(opening.notices.last)
    }

    /// The same, but for lists on the service only, because only they have participants and Activity.
    func listOnService(_ options: ListOptions) async throws -> ListSummary {
        let list = try await list(options)
        if list.isLocal { throw CommandError.onThisDeviceAlone(list.name ?? list.id.description) }
        return list
    }
}
