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

    /// Without a signal, this many registrations are looked at; the next time goes on after them.
    private static let mostWithoutSignal = 1000

    private var work: CalendarWork { hub.background.calendars }

    func run() async throws {
        await cancelWhenGracefulShutdown { await leadership.whileLeading { await notifyWhileLeading() } }
    }

    private func notifyWhileLeading() async {
        work.follow()
        // All lists first: no process may have collected the earlier changes.
        var due = CalendarWork.Due(isWhole: true)
        var isWorking = true
        var place: RegistrationID?
        while !Task.isCancelled {
            var pause = Self.pauseAfterFailure
            if disk.isFull {
                // Nothing can be stored now. What is due stays due.
                work.note(due)
            } else if let failure = await look(at: due, goingOnFrom: &place) {
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
        }
        work.ignore()
    }

    /// Notes what has to be looked at again.
    /// - Parameters:
    ///   - due: empty if no signal came in time. Changes without a signal are found by looks at one part of all after the other.
    ///   - place: where the next such look goes on.
    /// - Returns: the first error.
    private func look(at due: CalendarWork.Due, goingOnFrom place: inout RegistrationID?) async -> StoreError? {
        let pacing = RegistrationPacing(
            combining: settings.combining.nanoseconds / 1_000_000, spacing: settings.spacing.nanoseconds / 1_000_000)
        do throws(StoreError) {
            let round: RegistrationRound
            if due.isEmpty {
                round = try await store.tellRegistered(
                    on: nil, after: place, atMost: Self.mostWithoutSignal, pacing)
                place = round.next
            } else {
                round = try await store.tellRegistered(on: due.isWhole ? nil : due.lists, pacing)
            }
            if round.told > 0 { hub.background.deliveries.request() }
            work.note(CalendarWork.Due(lists: round.held.union(round.failed)))
            return round.failure
        } catch {
            work.note(due)
            return error
        }
    }
}
