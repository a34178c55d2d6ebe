import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore

/// Whether this process leads the background work. Of all processes that serve a database one does, as long as it renews
/// that; so what has to be done once is looked for once. A process that ends in order lets another one lead at once. One that
/// was killed is succeeded within ``lease`` and ``pause``.
///
/// A process that was paused may go on for a moment while another one leads already. All work is safe then, too, because a
/// process locks or claims each list, device and delivery before it works on it.
final class Leadership: ServiceLifecycle.Service {
    /// Milliseconds for which a process leads without renewing it.
    private static let lease: Int64 = 10_000
    /// The pause between two tries to lead, or to go on.
    private static let pause = Duration.seconds(3)

    private struct State {
        var isLeading = false
        /// Those who wait until that changes.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWait = 0
    }

    private let store: Store
    private let logger: Logger
    private let process = UUIDBits(high: .random(in: 0...UInt64.max), low: .random(in: 0...UInt64.max))
    private let state = Mutex(State())

    init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    var isLeading: Bool { state.withLock { $0.isLeading } }

    /// Runs `body` while this process leads, each time anew. `body` is cancelled when another process may lead. Returns when
    /// the task is cancelled.
    func whileLeading(_ body: @escaping @Sendable () async -> Void) async {
        while !Task.isCancelled {
            await wait(until: true)
            if Task.isCancelled { return }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await body() }
                group.addTask { await self.wait(until: false) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var end = ContinuousClock.now
            while !Task.isCancelled {
                let asked = ContinuousClock.now
                do throws(StoreError) {
                    let leads = try await self.store.lead(self.process, lease: Self.lease)
                    end = leads ? asked + .milliseconds(Self.lease) : asked
                } catch {
                    self.logger.debug("this process can't ask whether it leads", metadata: ["error": "\(error)"])
                }
                self.set(end > .now)
                do { try await Task.sleep(for: Self.pause) } catch { break }
            }
        }
        set(false)
        do throws(StoreError) { try await store.resign(process) } catch {
            logger.debug("another process leads when this one's time is over", metadata: ["error": "\(error)"])
        }
    }

    private func set(_ isLeading: Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isLeading != isLeading else { return [] }
            state.isLeading = isLeading
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for each in waiting { each.resume() }
    }

    private func wait(until isLeading: Bool) async {
        let number = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isLeading == isLeading || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
