import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Summarizes sessions on lists that have ended, and tells the others of the summaries.
///
/// It looks when a list is due, as appends and people who come and go plan it, and when it is told that one is due earlier. Its
/// whole state is in the database, so it continues after a restart, and in another process.
struct Summarizer: ServiceLifecycle.Service {
    let leadership: Leadership
    let store: Store
    let hub: EventHub
    let metrics: ServiceMetrics
    let disk: DiskMonitor
    let logger: Logger

    /// The pause between two rounds, so that a busy service doesn't look after every change.
    private static let pause = Duration.milliseconds(50)
    /// The pause when lists are due that others hold.
    private static let longPause = Duration.milliseconds(250)
    /// The number of lists that a round reads at a time, and how many of them it summarizes at the same time.
    private static let listsPerPage = 100
    private static let parallel = 2

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await leadership.whileLeading {
                var isWorking = true
                while !Task.isCancelled {
                    var next = BackgroundWork.backstop
                    do throws(StoreError) {
                        try await summarizeAll()
                        next = try await untilNext()
                        isWorking = true
                    } catch {
                        // Log once for each series of failures.
                        logger.log(
                            level: isWorking ? .warning : .debug,
                            "sessions could not be summarized; later rounds try again",
                            metadata: ["error": "\(error)"])
                        isWorking = false
                        next = .seconds(1)
                    }
                    do { try await Task.sleep(for: Self.pause) } catch { return }
                    await hub.background.summaries.wait(atMost: next - Self.pause)
                }
            }
        }
    }

    /// How long nothing will be due, unless something is planned meanwhile.
    private func untilNext() async throws(StoreError) -> Duration {
        if disk.isFull { return BackgroundWork.backstop }
        guard let next = try await store.nextSummary() else { return BackgroundWork.backstop }
        return min(max(.milliseconds(next), Self.longPause), BackgroundWork.backstop)
    }

    /// One round: looks at each due list once. A list that another transaction holds stays due, until a later round.
    func summarizeAll() async throws(StoreError) {
        var last: DueList?
        var failure: StoreError?
        while !Task.isCancelled, !disk.isFull {
            let lists = try await store.listsWithEndedSessions(after: last, limit: Self.listsPerPage)
            let firstFailure = await summarize(lists.map(\.id))
            failure = failure ?? firstFailure
            guard lists.count == Self.listsPerPage else { break }
            last = lists.last
        }
        if let failure { throw failure }
    }

    /// A list that fails doesn't stop the others.
    /// - Returns: the first error.
    private func summarize(_ lists: [ListID]) async -> StoreError? {
        await withTaskGroup(of: StoreError?.self) { group in
            var failure: StoreError?
            for (index, list) in lists.enumerated() {
                if index >= Self.parallel { failure = await group.next() ?? failure }
                group.addTask {
                    do throws(StoreError) {
                        if let summarized = try await store.summarize(list) { await deliver(summarized) }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group { failure = failure ?? error }
            return failure
        }
    }

    /// Tells people of a summary that is committed. This process is the only one that gets here with this summary, and
    /// if it is killed before, the summary waits in `GET /v1/summaries`. What goes to sleeping devices and webhooks is in
    /// the outbox since the commit; see ``Courier``.
    private func deliver(_ summarized: SummarizedList) async {
        if !summarized.people.isEmpty {
            metrics.count(.summaries, by: summarized.people.count)
            hub.summarized(summarized.list, through: summarized.through, for: summarized.people)
        }
        hub.background.deliveries.request()
        // If it fails, the next summary trims.
        do { try await store.trimDeliveries(of: summarized.people.union(summarized.alerted)) } catch {
            logger.debug("the outbox was not trimmed", metadata: ["error": "\(error)"])
        }
    }
}
