import ArgumentParser

/// The command line: a device in a directory.
@main
struct Trolley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trolley",
        abstract: "Shopping lists that stay in step between people and devices.",
        discussion: """
            Everything works without the network; what was changed is sent when the service can be reached.

            Example:
              trolley sign-up http://localhost:8080 --email alice@example.com --name Alice
              trolley new 'Weekly shop'
              trolley add milk eggs bread
              trolley off milk
              trolley show

            Items are named by their text, by their position as 'show' numbers them, or by their id.
            Settings by environment: TROLLEY_HOME (the device's files, ~/.trolley), TROLLEY_LIST, TROLLEY_JSON,
            TROLLEY_PASSWORD.
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Lists", subcommands: [NewCommand.self, ListsCommand.self, UseCommand.self, ShowCommand.self]),
            CommandGroup(
                name: "Changes",
                subcommands: [
                    AddCommand.self, EditCommand.self, OffCommand.self, UnmarkCommand.self, MoveCommand.self,
                    DeleteCommand.self, RenameCommand.self, RecolourCommand.self, UndoCommand.self, RedoCommand.self,
                ]),
            CommandGroup(
                name: "Syncing",
                subcommands: [
                    SyncCommand.self, RefetchCommand.self, WatchCommand.self, QueueCommand.self,
                    ShoppingCommand.self, ApplyCommand.self, DiagnosticsCommand.self,
                ]),
            CommandGroup(
                name: "Sharing",
                subcommands: [
                    ShareCommand.self, InviteCommand.self, InvitationsCommand.self, WithdrawCommand.self,
                    JoinCommand.self, DeclineCommand.self, ParticipantsCommand.self, PermissionCommand.self,
                    HandOverCommand.self, RemoveCommand.self, LeaveCommand.self, StopSharingCommand.self,
                ]),
            CommandGroup(
                name: "History", subcommands: [ActivityCommand.self, ReplayCommand.self, InspectCommand.self]),
            CommandGroup(
                name: "Account",
                subcommands: [
                    SignUpCommand.self, SignInCommand.self, SignOutCommand.self, DeleteAccountCommand.self,
                    ExportCommand.self, ImportCommand.self,
                ]),
        ]
    )
}
