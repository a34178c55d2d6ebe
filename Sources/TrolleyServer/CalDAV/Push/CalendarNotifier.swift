import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Tells registered programs of changed lists: after a change, it puts messages into the outbox, from which ``Courier``
/// sends them. Its whole state is in the database, so it continues after a restart, and in another process.
struct CalendarNotifier: ServiceLifecycle.Service {
    let leadership: Leadership
    let store: Store
    let hub: EventHub
    let settings: PushSettings
    let disk: DiskMonitor
    let logger: Logger

    /// The pause between two looks, so that a busy service doesn't look after every change.
    private static let pause = Duration.milliseconds(200)
    private static let pauseAfterFailure = Duration.seconds(1)

    private var work: CalendarWork { hub.background.calendars }

    func run() async throws {
        await cancelWhenGracefulShutdown { await leadership.whileLeading { await notifyWhileLeading() } }
    }

    private func notifyWhileLeading() async {
        work.follow()
        // All lists first: no process may have collected the earlier changes.
        var due = CalendarWork.Due(isWhole: true)
        var isWorking = true
        while !Task.isCancelled {
            var pause = Self.pauseAfterFailure
            if disk.isFull {
                // Nothing can be stored now. What is due stays due.
                work.note(due)
            } else if let failure = await look(at: due) {
                // Log once for each series of failures.
                logger.log(
                    level: isWorking ? .warning : .debug,
                    "registered programs could not be told of changes; later rounds try again",
                    metadata: ["error": "\(failure)"])
                isWorking = false
            } else {
                isWorking = true
                pause = Self.pause
            }
            do { try await Task.sleep(for: pause) } catch { break }
            await work.wake.wait(atMost: hub.pollPause)
            due = work.take()
            // No signal came in time. Changes without a signal are found by a look at all lists.
            if due.isEmpty { due.isWhole = true }
        }
        work.ignore()
    }

    /// Notes what has to be looked at again.
    /// - Returns: the first error.
    private func look(at due: CalendarWork.Due) async -> StoreError? {
        let pacing = RegistrationPacing(
            combining: settings.combining.nanoseconds / 1_000_000, spacing: settings.spacing.nanoseconds / 1_000_000)
        do throws(StoreError) {
            let round = try await store.tellRegistered(on: due.isWhole ? nil : due.lists, pacing)
            if round.told > 0 { hub.background.deliveries.request() }
            work.note(CalendarWork.Due(lists: round.held.union(round.failed)))
            return round.failure
        } catch {
            work.note(due)
            return error
        }
    }
}
