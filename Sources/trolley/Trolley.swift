import ArgumentParser
import TrolleyWire

/// The command line: a device whose files are in a directory.
@main
struct Trolley: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "trolley",
            abstract: localized(
                "Shopping lists that stay in step between people and devices.",
                de: "Einkaufslisten, die bei allen Leuten und auf allen Geräten gleich bleiben."),
            discussion: discussion(
                "Everything works offline. Changes are sent when the service can be reached.",
                de: "Alles geht auch ohne Netz. Änderungen werden gesendet, sobald der Dienst zu erreichen ist.",
                examples: """
                    trolley sign-up http://localhost:8080 --email alice@example.com --name Alice
                    trolley new 'Weekly shop'
                    trolley add milk eggs bread
                    trolley off milk
                    trolley show
                    """)
                + "\n\n"
                + paragraphs(
                    localized(
                        """
                        Items are named by their text, by their position as 'show' numbers them, or by their id.

                        Settings by environment: TROLLEY_HOME (the device's files, ~/.trolley), TROLLEY_LIST, TROLLEY_JSON,
                        TROLLEY_PASSWORD, TROLLEY_NEW_PASSWORD, TROLLEY_CA_FILE, TROLLEY_INSECURE, TROLLEY_LANGUAGE,
                        TROLLEY_LOG.
                        """,
                        de: """
                            Einträge nennst du mit ihrem Text, mit ihrer Nummer bei „trolley show“ oder mit ihrer Kennung.

                            Einstellungen aus der Umgebung: TROLLEY_HOME (die Dateien des Geräts, ~/.trolley),
                            TROLLEY_LIST, TROLLEY_JSON, TROLLEY_PASSWORD, TROLLEY_NEW_PASSWORD, TROLLEY_CA_FILE,
                            TROLLEY_INSECURE, TROLLEY_LANGUAGE, TROLLEY_LOG.
                            """)),
            version: SoftwareVersion.current,
            groupedSubcommands: [
                CommandGroup(
                    name: localized("Lists", de: "Listen"),
                    subcommands: [
                        NewCommand.self, ListsCommand.self, UseCommand.self, ArrangeCommand.self, ShowCommand.self,
                        AislesCommand.self, ShopsCommand.self, SuggestCommand.self,
                    ]),
                CommandGroup(
                    name: localized("Changes", de: "Änderungen"),
                    subcommands: [
                        AddCommand.self, CopyCommand.self, EditCommand.self, OffCommand.self, UnmarkCommand.self,
                        MoveCommand.self,
                        DeleteCommand.self, RenameCommand.self, RecolourCommand.self, UndoCommand.self,
                        RedoCommand.self,
                    ]),
                CommandGroup(
                    name: localized("Messages", de: "Nachrichten"),
                    subcommands: [
                        SayCommand.self, MessagesCommand.self, ReactCommand.self, PinCommand.self, UnsayCommand.self,
                    ]),
                CommandGroup(
                    name: localized("Syncing", de: "Abgleichen"),
                    subcommands: [
                        SyncCommand.self, RefetchCommand.self, WatchCommand.self, QueueCommand.self,
                        ShoppingCommand.self, ApplyCommand.self, DiagnosticsCommand.self, MCPCommand.self,
                    ]),
                CommandGroup(
                    name: localized("Sharing", de: "Teilen"),
                    subcommands: [
                        ShareCommand.self, InviteCommand.self, InvitationsCommand.self, WithdrawCommand.self,
                        JoinCommand.self, DeclineCommand.self, ParticipantsCommand.self, WhoCommand.self,
                        NotifyCommand.self, WebhooksCommand.self, PermissionCommand.self, HandOverCommand.self,
                        RemoveCommand.self,
                        LeaveCommand.self, StopSharingCommand.self,
                    ]),
                CommandGroup(
                    name: localized("History", de: "Verlauf"),
                    subcommands: [
                        ActivityCommand.self, WhereCommand.self, TripsCommand.self, ReplayCommand.self,
                        RestoreCommand.self,
                        InspectCommand.self,
                    ]),
                CommandGroup(
                    name: localized("Account", de: "Konto"),
                    subcommands: [
                        SignUpCommand.self, SignInCommand.self, SignOutCommand.self, WhoAmICommand.self,
                        ProfileCommand.self, PasswordCommand.self, VerifyCommand.self, DevicesCommand.self,
                        TokensCommand.self,
                        DeleteAccountCommand.self,
                        ExportCommand.self, ImportCommand.self,
                    ]),
            ])
    }

    // What ArgumentParser writes before an error.
    static var _errorPrefix: String { localized("Error: ", de: "Fehler: ") }

    static func main() async {
        await MessageLanguage.$current.withValue(isForProgram ? .english : .ofSystem) { await runCommand() }
        Terminal.flush()
    }

    private static func runCommand() async {
        do {
            try refuseUnknownCommand()
            var command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            answerInJSON(error)
            Terminal.flush()
            if MessageLanguage.current == .english { exit(withError: error) }
            let text = ParserText.german(fullMessage(for: error))
            let code = exitCode(for: error)
            if !text.isEmpty { if code.isSuccess { Terminal.print(text) } else { Terminal.warn(text) } }
            Terminal.flush()
            exit(withError: code)
        }
    }

    /// Whether a program reads the output: a document of JSON, or the script of a shell's completions. It is the same in every
    /// language.
    private static var isForProgram: Bool {
        wantsJSON
            || CommandLine.arguments.contains {
                $0.hasPrefix("--generate-completion-script") || $0.hasPrefix("---completion")
                    || $0 == "--experimental-dump-help"
            }
    }

    /// The arguments. A pasted line that begins with a bullet, '- milk', must not be parsed as an option, so it gets a
    /// leading space.
    private static var arguments: [String] {
        CommandLine.arguments.dropFirst().map { $0.hasPrefix("- ") ? " " + $0 : $0 }
    }

    /// An unknown command is wrong use. ArgumentParser would print the general help for it.
    private static func refuseUnknownCommand() throws(ValidationError) {
        guard let name = CommandLine.arguments.dropFirst().first, !name.hasPrefix("-"), name != "help" else { return }
        let isKnown = configuration.subcommands.contains {
            $0.configuration.commandName == name || $0.configuration.aliases.contains(name)
        }
        if !isKnown {
            throw ValidationError(
                localized("There is no command '\(name)'.", de: "Den Befehl „\(name)“ gibt es nicht."))
        }
    }

    private static var wantsJSON: Bool {
        if CommandLine.arguments.contains("--json") { return true }
        do { return try Settings().json } catch { return false }
    }

    /// With --json or TROLLEY_JSON, usage errors are printed as JSON, too. Other errors have been printed already.
    private static func answerInJSON(_ error: any Error) {
        guard wantsJSON, !(error is ExitCode), exitCode(for: error) == .validationFailure else { return }
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("error")
            writer.object { $0.member("message", message(for: error)) }
        }
        Terminal.print(json: writer.bytes)
    }
}
