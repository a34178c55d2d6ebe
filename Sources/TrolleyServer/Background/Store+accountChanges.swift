import Logging
import TrolleyJournal
import TrolleyStore

extension Store {
    /// How long a request goes on with the lists that show its account.
    private static let timeForLists = Duration.seconds(5)

    /// Has lists show the accounts that were just changed, and tells devices of it. The changes are certain already: what fails here,
    /// or takes longer, the sweeper does.
    /// - Parameter account: nil: whichever have.
    func showChanges(of account: AccountID? = nil, to hub: EventHub, _ logger: Logger) async {
        do {
            try await continueAccountChanges(of: account, within: Self.timeForLists)
        } catch {
            logger.warning("lists will show a changed account later", metadata: ["error": "\(error)"])
        }
        hub.changed(.everything)
    }
}
