import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore

/// Tells devices at once that something changed.
///
/// What this process commits it passes on directly. What other processes commit it hears of by NOTIFY, which is only a
/// hint to look at the heads; and it looks anyway every few seconds, in case a NOTIFY was lost.
final class EventHub: ServiceLifecycle.Service {
    private let store: Store
    private let database: PostgresConfiguration?
    private let logger: Logger
    private let name = Secret().text
    private let subscriptions = Mutex<[ObjectIdentifier: Subscription]>([:])
    private let looks: AsyncStream<Void>
    private let looker: AsyncStream<Void>.Continuation
    private let outbox: AsyncStream<Void>
    private let sender: AsyncStream<Void>.Continuation

    /// - Parameter database: where to LISTEN; nil when there is only this process.
    init(store: Store, database: PostgresConfiguration?, logger: Logger) {
        self.store = store
        self.database = database
        self.logger = logger
        (looks, looker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (outbox, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: What happens

    /// A device has appended to a list, and it is committed.
    func appended(to list: ListID, from previous: SequenceNumber, to head: SequenceNumber, by device: DeviceID) {
        for subscription in current { subscription.note(list, from: previous, to: head, author: device) }
        sender.yield()
    }

    /// Something else has changed (who is on which list, or by compression), and it is committed.
    func somethingChanged() {
        looker.yield()
        sender.yield()
    }

    /// A device is signed out.
    func signedOut(_ device: DeviceID) {
        for subscription in current where subscription.device == device { subscription.end() }
    }

    /// What devices were told last may be of another life of the database: they come back, and are told to sync.
    func epochChanged() {
        for subscription in current { subscription.end() }
        sender.yield()
    }

    /// Begins a device's stream; ``unsubscribe(_:)`` ends it.
    func subscribe(_ device: DeviceID, lastEventID: String?) async throws(StoreError) -> Subscription {
        let subscription = Subscription(device: device)
        // First in, then asked: what is committed meanwhile is told by the one or the other.
        subscriptions.withLock { $0[ObjectIdentifier(subscription)] = subscription }
        do {
            let heads = try await store.heads(of: [device])[device] ?? [:]
            subscription.begin(at: heads, lastEventID: lastEventID)
        } catch {
            unsubscribe(subscription)
            throw error
        }
        return subscription
    }

    func unsubscribe(_ subscription: Subscription) {
        subscriptions.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(subscription)) }
    }

    private var current: [Subscription] { subscriptions.withLock { Array($0.values) } }

    // MARK: Running

    /// Runs until the service stops.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.listen() }
                group.addTask { await self.notify() }
                group.addTask { await self.every(.seconds(5)) { self.looker.yield() } }
                group.addTask { await self.every(.seconds(15)) { for each in self.current { each.beat() } } }
                for await _ in looks { await look() }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            self.looker.finish()
        }
    }

    /// Compares what everybody knows with the database.
    private func look() async {
        let subscriptions = current
        guard !subscriptions.isEmpty else { return }
        do {
            let heads = try await store.heads(of: Array(Set(subscriptions.map(\.device))))
            var outdated: [ListID: SequenceNumber] = [:]
            for subscription in subscriptions {
                outdated.merge(subscription.outdated(by: heads[subscription.device] ?? [:])) { min($0, $1) }
            }
            let authors = outdated.isEmpty ? [] : try await store.authors(after: outdated)
            for subscription in subscriptions {
                if let heads = heads[subscription.device] {
                    subscription.compare(with: heads, authors: authors)
                } else {
                    subscription.end()
                }
            }
        } catch {
            logger.warning("the lists' heads could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func listen() async {
        guard let database else { return }
        for await event in Listener(database).listen([Store.changesChannel]) {
            if case .notification(let notification) = event, notification.payload == name { continue }
            looker.yield()
        }
    }

    /// NOTIFY takes a lock of the whole database when it commits, so what happens meanwhile is told in one.
    private func notify() async {
        guard database != nil else { return }
        for await _ in outbox {
            do { try await store.notifyOthers(as: name) } catch {
                logger.debug("the other processes could not be told", metadata: ["error": "\(error)"])
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return }
        }
    }

    private func every(_ pause: Duration, _ body: () -> Void) async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: pause) } catch { return }
            body()
        }
    }
}
