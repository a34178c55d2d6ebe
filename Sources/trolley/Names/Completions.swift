import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Shell completions of names: the device's current lists and items.

extension CompletionKind {
    /// The names of the device's lists.
    static var lists: CompletionKind {
        .custom { arguments, _, _ in await Completions(arguments).lists() }
    }

    /// The texts of the list's items.
    static var items: CompletionKind {
        .custom { arguments, _, _ in await Completions(arguments).items() }
    }
}

extension CompletionKind {
    /// Suggestions from past purchases.
    static var suggestions: CompletionKind {
        .custom { arguments, _, prefix in await Completions(arguments).suggestions(beginningWith: prefix) }
    }
}

/// Answers a shell. On any error it proposes nothing. It never creates a device.
struct Completions {
    /// The words of the command line.
    private let arguments: [String]

    init(_ arguments: [String]) { self.arguments = arguments }

    func lists() async -> [String] {
        await withDevice { device in try await device.listNames().compactMap { $0.name } }
    }

    func items() async -> [String] {
        await withDevice { device in
            let list = try await device.list(ListOptions(list: value(of: "--list")))
            return try await device.list(list.id).shownRows().filter { !$0.isStruck }.map(\.item.text).filter {
                !$0.isEmpty
            }
        }
    }

    func suggestions(beginningWith prefix: String = "") async -> [String] {
        await withDevice { device in
            let list = try await device.list(ListOptions(list: value(of: "--list")))
            return try await device.list(list.id).completions(of: prefix.unquoted, limit: 50).map(\.text)
        }
    }

    private func withDevice(_ body: (Device) async throws -> [String]) async -> [String] {
        do {
            let home = try value(of: "--home") ?? Settings().home
            guard FileManager.default.fileExists(atPath: home + "/device.sqlite") else { return [] }
            let device = try Device(directory: home, language: Settings().language.code)
            let found: [String]
            // The shell puts a proposal into the command line as it is, and takes a line break for the next one. So a
            // text that can't be shown as it is isn't proposed.
            do { found = try await body(device).filter { !$0.steersTerminal } } catch { found = [] }
            await device.close()
            return found
        } catch {
            return []
        }
    }

    /// The value of an option on the command line, without surrounding quotes.
    private func value(of option: String) -> String? {
        for (index, argument) in arguments.enumerated() {
            if argument == option, index + 1 < arguments.count { return arguments[index + 1].unquoted }
            if argument.hasPrefix(option + "=") { return String(argument.dropFirst(option.count + 1)).unquoted }
        }
        return nil
    }
}

extension String {
    fileprivate var unquoted: String {
        guard let quote = first, quote == "'" || quote == "\"", count > 1, last == quote else { return self }
        return String(dropFirst().dropLast())
    }
}
