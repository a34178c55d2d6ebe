import Synchronization
import TrolleyJournal
import TrolleyStore

/// What wakes the background work: changes of this process, and signals of others. The work itself is found in the database.
struct BackgroundWork: Sendable {
    /// Sessions may have ended on lists.
    let summaries = Wake()
    /// Something may be in the outbox.
    let deliveries = Wake()
    /// Another epoch may have begun.
    let epoch = Wake()
    let hosted = HostedWork()
    let calendars = CalendarWork()

    /// How long to wait for work that nothing has announced: a process can be killed between its change and its signal.
    /// A task's own value is for tests of what is announced.
    @TaskLocal static var backstop = Duration.seconds(30)

    func requestAll() {
        summaries.request()
        deliveries.request()
        epoch.request()
        hosted.noteAll()
        calendars.noteAll()
    }
}

/// The accounts and lists whose hosted devices may have work.
final class HostedWork: Sendable {
    struct Due: Sendable {
        /// Any hosted device may have work.
        var isWhole = false
        var accounts: Set<AccountID> = []
        var lists: Set<ListID> = []
    }

    private struct State {
        var due = Due()
        var isFollowed = false
        /// The accounts that have hosted devices.
        var hosts: Set<AccountID> = []
    }

    /// With more lists or accounts, all hosted devices are looked at.
    private static let most = 1000

    private let state = Mutex(State())
    let wake = Wake()

    /// Begins to collect work, of these accounts alone.
    func follow(_ hosts: Set<AccountID>) {
        state.withLock { state in
            state.isFollowed = true
            state.hosts.formUnion(hosts)
        }
    }

    /// Ends collecting.
    func ignore() { state.withLock { $0 = State() } }

    /// What was collected since the last call.
    func take() -> Due {
        state.withLock { state in
            defer { state.due = Due() }
            return state.due
        }
    }

    func noteAll() { note { due, _ in due.isWhole = true } }

    /// Notes a new hosted device.
    func note(host account: AccountID) {
        note { due, hosts in
            hosts.insert(account)
            due.accounts.insert(account)
        }
    }

    /// Something of theirs has changed.
    func note(_ people: Set<AccountID>) { note { due, hosts in due.accounts.formUnion(people.intersection(hosts)) } }

    /// A list of people whom this process doesn't know has changed.
    func note(_ list: ListID) { note { due, hosts in if !hosts.isEmpty { due.lists.insert(list) } } }

    private func note(_ change: (inout Due, inout Set<AccountID>) -> Void) {
        let isNews = state.withLock { state in
            guard state.isFollowed else { return false }
            change(&state.due, &state.hosts)
            if state.due.lists.count > Self.most || state.due.accounts.count > Self.most {
                state.due = Due(isWhole: true)
            }
            return state.due.isWhole || !state.due.lists.isEmpty || !state.due.accounts.isEmpty
        }
        if isNews { wake.request() }
    }
}
