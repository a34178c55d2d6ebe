import Logging
import ServiceLifecycle
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Syncs hosted devices while the service runs: after a change, those of the people whom it concerns, if they have work to do.
/// Its whole state is in the database, so it continues after a restart, and in another process.
struct HostedDriver: ServiceLifecycle.Service {
    let leadership: Leadership
    let driving: HostedDriving
    let logger: Logger

    /// The number of devices in one round, and how many of them run at the same time.
    private static let round = 100
    private static let parallel = 2
    /// The pause between two rounds, so that a busy service doesn't check after every single change.
    private static let pause = Duration.milliseconds(100)
    /// A database that is away for long is asked, and the log told, this often; and a full disk looked at.
    private static let pauseAfterFailure = Duration.seconds(1)

    private var work: HostedWork { driving.hub.background.hosted }

    func run() async throws {
        await cancelWhenGracefulShutdown { await leadership.whileLeading { await driveWhileLeading() } }
    }

    private func driveWhileLeading() async {
        // First of all devices, for changes that nobody has collected.
        var due = HostedWork.Due(isWhole: true)
        var rounds = HostedRounds()
        while !Task.isCancelled {
            var pause = Self.pause
            do throws(StoreError) {
                if driving.disk.isFull {
                    // Nothing can be stored now. What is due stays due.
                    work.noteAll()
                    pause = Self.pauseAfterFailure
                } else {
                    if due.isWhole { work.follow(try await driving.store.hosts()) }
                    let rest = min(driving.hub.pollPause, try await drive(due))
                    rounds.note(due, rest: rest, at: .now)
                }
            } catch {
                logger.warning("hosted devices could not be looked for", metadata: ["error": "\(error)"])
                work.noteAll()
                pause = Self.pauseAfterFailure
            }
            do { try await Task.sleep(for: pause) } catch { break }
            await work.wake.wait(atMost: rounds.pause(at: .now))
            due = rounds.next(work.take(), at: .now)
        }
        work.ignore()
    }

    /// One round. A failure is retried in a later round.
    /// - Returns: when devices that rest must be looked at again.
    private func drive(_ due: HostedWork.Due) async throws(StoreError) -> Duration {
        let accounts = try await accounts(of: due)
        if accounts?.isEmpty == true { return BackgroundWork.backstop }
        let devices = try await driving.store.hostedDevicesWithWork(of: accounts, limit: Self.round)
        // There may be more, and those that failed rest.
        if devices.count == Self.round { work.noteAll() }
        return await withTaskGroup(of: Duration.self) { group in
            var rest = BackgroundWork.backstop
            for (index, device) in devices.enumerated() {
                if index >= Self.parallel, let next = await group.next() { rest = min(rest, next) }
                group.addTask { await drive(device) }
            }
            for await next in group { rest = min(rest, next) }
            return rest
        }
    }

    /// - Returns: nil: all accounts.
    private func accounts(of due: HostedWork.Due) async throws(StoreError) -> Set<AccountID>? {
        if due.isWhole { return nil }
        if due.lists.isEmpty { return due.accounts }
        let lists = Array(due.lists)
        let people = try await driving.store.people(of: lists)
        // Those who have just lost a list are no longer among its people, but their devices still have it.
        let hosts = try await driving.store.hosts(of: lists)
        return people.values.reduce(into: due.accounts.union(hosts)) { $0.formUnion($1) }
    }

    /// - Returns: how long the device needs not to be looked at, unless something changes.
    private func drive(_ device: Session) async -> Duration {
        guard let report = await driving.drive(device, .push) else { return HostedDriving.shortestRest }
        if report.differing > 0 {
            logger.warning(
                "a hosted device had come to another list than the service, and has fetched it afresh",
                metadata: ["device": "\(device.device)", "lists": "\(report.differing)"])
        }
        if let failure = report.failure {
            logger.info(
                "a hosted device could not be brought in step",
                metadata: ["device": "\(device.device)", "code": "\(failure.code?.rawValue ?? "none")"])
        }
        return HostedDriving.pause(after: report) ?? BackgroundWork.backstop
    }
}
