import Synchronization
import TrolleyJournal
import TrolleySync

extension Device {
    /// Keeps the device in step by itself, until ``stop()`` or ``close()``: syncs at once, on the service's hints, after the
    /// person's own changes, when the network is back, when a next try is due, and after each interval. Does nothing when it
    /// has been started already.
    ///
    /// ```swift
    /// let device = try Device(directory: "Lists")
    /// device.start()
    /// let list = try await device.makeList(named: "Weekly shop")
    /// try await list.add("milk")          // sent by itself
    /// for try await update in list.rows { print(update.rows.count) }
    /// ```
    ///
    /// Failures are in ``Device/status``, ``ongoingFailure()`` and ``syncErrors()``. Nothing is lost by them.
    /// - Parameter interval: the time between two syncs without a reason.
    public func start(every interval: Duration = .seconds(30)) {
        driver.start { [weak self] in
            guard let feed = self?.events(every: interval).feed else { return nil }
            let task = Task { [weak self] in
                var due: Task<Void, Never>?
                while let event = await feed.next() {
                    guard case .sync(let trigger) = event else { continue }
                    due?.cancel()
                    guard let wait = await self?.drive(trigger) else { continue }
                    due = Task { [weak feed] in
                        do { try await Task.sleep(for: wait) } catch { return }
                        feed?.add(.sync(.timer))
                    }
                }
                due?.cancel()
            }
            return (feed, task)
        }
    }

    /// Ends what ``start(every:)`` began. A run that is under way stops at its next call to the service.
    ///
    /// ```swift
    /// await device.stop()
    /// ```
    public func stop() async { await driver.stop() }

    /// - Returns: how long until the next try is due; nil when none is.
    private func drive(_ trigger: Trigger) async -> Duration? {
        do {
            let report = try await sync(trigger)
            guard let nextTry = report.nextTry else { return nil }
            let wait = Duration.milliseconds(max(0, nextTry.milliseconds - clock().wall.milliseconds) + 1)
            log.noteWait(wait, for: "the next try")
            return wait
        } catch {
            // A failure of the device's own storage. The next event tries again.
            return nil
        }
    }
}

/// Syncs a device by itself, while it is started.
final class DeviceDriver: Sendable {
    private typealias Drive = (feed: DeviceEventFeed, task: Task<Void, Never>)

    private let drive = Mutex<Drive?>(nil)

    deinit { drive.withLock { $0?.task.cancel() } }

    func start(_ begin: () -> (feed: DeviceEventFeed, task: Task<Void, Never>)?) {
        drive.withLock { if $0 == nil { $0 = begin() } }
    }

    func stop() async {
        let ended = drive.withLock { $0.take() }
        ended?.task.cancel()
        await ended?.task.value
    }

    /// Syncs soon, if the device is started.
    func noteOwnChange() { drive.withLock { $0?.feed }?.add(.sync(.ownChange)) }
}
