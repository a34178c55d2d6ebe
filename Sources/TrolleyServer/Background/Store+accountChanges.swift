import Logging
import TrolleyJournal
import TrolleyStore

extension Store {
    /// How long a request goes on with the lists that show its account.
    private static let timeForLists = Duration.seconds(5)

    /// Records accounts' new names, addresses and colours in their lists, and notifies devices. The accounts have changed
    /// already: the sweeper finishes what fails here or takes longer.
    /// - Parameter account: nil: whichever have.
    func showChanges(of account: AccountID? = nil, to hub: EventHub, _ logger: Logger) async {
        do {
            try await continueAccountChanges(of: account, within: Self.timeForLists) { hub.changed(.list($0)) }
        } catch {
            logger.warning("lists will show a changed account later", metadata: ["error": "\(error)"])
        }
    }
}
