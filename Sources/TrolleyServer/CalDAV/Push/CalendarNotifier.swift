import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore

/// Tells registered programs of changed lists: after a change, it puts messages into the outbox, from which ``Courier`` sends them.
/// Its whole state is in the database, so it continues after a restart, and in another process.
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
        // First all lists, for changes that nobody has collected.
        var due = CalendarWork.Due(isWhole: true)
        var isWorking = true
        while !Task.isCancelled {
            var pause = Self.pause
            do throws(StoreError) {
                if disk.isFull {
                    // Nothing can be stored now. What is due stays due.
                    work.note(due)
                    pause = Self.pauseAfterFailure
                } else {
                    try await look(at: due)
                    isWorking = true
                }
            } catch {
                // Log once for each series of failures.
                logger.log(
                    level: isWorking ? .warning : .debug,
                    "registered programs could not be told of changes; later rounds try again",
                    metadata: ["error": "\(error)"])
                isWorking = false
                work.note(due)
                pause = Self.pauseAfterFailure
            }
            do { try await Task.sleep(for: pause) } catch { break }
            await work.wake.wait(atMost: hub.pollPause)
            due = work.take()
            // Nothing was announced: now it is time to look for what nobody has announced.
            if due.isEmpty { due.isWhole = true }
        }
        work.ignore()
    }

    private func look(at due: CalendarWork.Due) async throws(StoreError) {
        let pacing = RegistrationPacing(
            combining: settings.combining.nanoseconds / 1_000_000, spacing: settings.spacing.nanoseconds / 1_000_000)
        let round = try await store.tellRegistered(on: due.isWhole ? nil : due.lists, pacing)
        if round.told > 0 { hub.background.deliveries.request() }
        for list in round.held { work.note(list) }
    }
}
