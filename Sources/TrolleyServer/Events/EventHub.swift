import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Tells devices at once that something changed.
///
/// What this process commits it passes on directly. What other processes commit it hears of by NOTIFY, which is only a
/// hint to look at the heads; and it looks anyway every few seconds, in case a NOTIFY was lost.
final class EventHub: ServiceLifecycle.Service {
    private let store: Store
    private let pollInterval: Duration
    private let rates: Rates
    private let limiter: RateLimiter
    private let metrics: ServiceMetrics
    private let logger: Logger
    private let name = Secret().text
    /// By account: most of what happens concerns the people of one list.
    private let subscriptions = Mutex<[AccountID: [Subscription]]>([:])
    private let looks: AsyncStream<Void>
    private let looker: AsyncStream<Void>.Continuation
    /// Yields when anything has changed anywhere, as far as this process has heard. For one reader.
    let stirs: AsyncStream<Void>
    private let stirrer: AsyncStream<Void>.Continuation
    private let departures: AsyncStream<Void>
    private let departed: AsyncStream<Void>.Continuation
    private let outbox: AsyncStream<Void>
    private let sender: AsyncStream<Void>.Continuation

    /// - Parameter pollInterval: how often the streams are compared with the database, in case a NOTIFY was lost.
    init(
        store: Store, pollInterval: Duration, rates: Rates, limiter: RateLimiter,
        metrics: ServiceMetrics, logger: Logger
    ) {
        self.store = store
        self.pollInterval = pollInterval
        self.rates = rates
        self.limiter = limiter
        self.metrics = metrics
        self.logger = logger
        (looks, looker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (stirs, stirrer) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (departures, departed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (outbox, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: What happens

    /// A device has appended to a list, and it is committed.
    /// - Parameter people: who was on the list at that moment. Whoever was removed before hears nothing of it, even where
    ///   this process doesn't know yet that they were.
    func appended(
        to list: ListID, from previous: SequenceNumber, to head: SequenceNumber, by device: DeviceID,
        people: Set<AccountID>
    ) {
        let told = of(people).count { $0.note(list, from: previous, to: head, author: device) }
        if told > 0 { metrics.count(.hints, by: told) }
        logger.debug("a list has grown", metadata: ["list": "\(list)", "sequence": "\(head)", "told": "\(told)"])
        stirrer.yield()
        sender.yield()
    }

    /// Something else has changed (who is on which list, or by compression), and it is committed.
    func somethingChanged() {
        looker.yield()
        stirrer.yield()
        sender.yield()
    }

    /// Somebody has opened or closed a list, and it is committed. Only the streams of that list's people are looked at.
    /// - Parameters:
    ///   - present: everybody who has it open now.
    ///   - people: everybody on the list.
    func presenceChanged(on list: ListID, present: [AccountID], people: Set<AccountID>) {
        for subscription in of(people) { subscription.notePresence(on: list, present: present) }
        sender.yield()
    }

    /// A device is signed out.
    func signedOut(_ device: DeviceID) {
        for subscription in current where subscription.device == device { subscription.end() }
        // Its stream may be at another process.
        somethingChanged()
    }

    /// An account is gone, and its devices with it.
    func signedOut(_ account: AccountID) {
        for subscription in of([account]) { subscription.end() }
        somethingChanged()
    }

    /// An account has read a list, and it is committed. Only its own streams are looked at. The device that has said so
    /// knows it.
    func read(_ list: ListID, through sequence: SequenceNumber, by session: Session) {
        for subscription in of([session.account]) {
            subscription.noteRead(list, through: sequence, isOwn: subscription.device == session.device)
        }
        sender.yield()
    }

    /// What devices were told last may be of another life of the database: they come back, and are told to sync.
    func epochChanged() {
        for subscription in current { subscription.end() }
        sender.yield()
    }

    /// Begins a device's stream; ``unsubscribe(_:)`` ends it.
    /// - Throws: `Problem`, when the account has too many; `StoreError`.
    func subscribe(_ session: Session, lastEventID: String?) async throws -> Subscription {
        let subscription = Subscription(session)
        // First in, then asked: what is committed meanwhile is told by the one or the other.
        guard let replaced = enter(subscription) else { throw limiter.refusal(.streams, wait: .seconds(60)) }
        for oldest in replaced { oldest.end() }
        do {
            let heads = try await store.heads(of: [session.account])[session.account] ?? [:]
            subscription.begin(at: heads, lastEventID: lastEventID)
        } catch {
            unsubscribe(subscription)
            throw error
        }
        logger.debug(
            "a stream begins", metadata: ["device": "\(session.device)", "replaces": "\(replaced.count)"])
        return subscription
    }

    /// Makes room on the device by ending its oldest stream: the newest is the one that it reads, the older ones are often
    /// connections that died without a word.
    /// - Returns: the streams to end; nil when the account has too many on its other devices.
    private func enter(_ subscription: Subscription) -> [Subscription]? {
        subscriptions.withLock { subscriptions in
            let own = subscriptions[subscription.account] ?? []
            let onDevice = own.filter { $0.device == subscription.device }.sorted { $0.began < $1.began }
            let replaced = rates.streamsPerDevice.map { Array(onDevice.prefix(max(0, onDevice.count - $0 + 1))) } ?? []
            if let most = rates.streamsPerAccount, own.count - replaced.count >= most { return nil }
            subscriptions[subscription.account] =
                own.filter { stream in !replaced.contains { $0 === stream } } + [subscription]
            return replaced
        }
    }

    /// Open streams.
    var streams: Int { subscriptions.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    func unsubscribe(_ subscription: Subscription) {
        subscriptions.withLock { subscriptions in
            let rest = subscriptions[subscription.account]?.filter { $0 !== subscription } ?? []
            subscriptions[subscription.account] = rest.isEmpty ? nil : rest
        }
        departed.yield()
    }

    private var current: [Subscription] { subscriptions.withLock { $0.values.flatMap(\.self) } }

    private func of(_ people: Set<AccountID>) -> [Subscription] {
        subscriptions.withLock { subscriptions in people.flatMap { subscriptions[$0] ?? [] } }
    }

    // MARK: Running

    /// Runs until the service stops.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.listen() }
                group.addTask { await self.notify() }
                group.addTask { await self.every(self.pollInterval) { self.lookAround() } }
                group.addTask { await self.every(.seconds(15)) { for each in self.current { each.beat() } } }
                await lookWhenAsked()
                group.cancelAll()
            }
            await endStreams()
        } onGracefulShutdown: {
            self.looker.finish()
        }
    }

    /// Ends all streams and waits until they have gone: no task waits for them, so nobody else would.
    private func endStreams() async {
        for each in current { each.end() }
        var departures = departures.makeAsyncIterator()
        while streams > 0, await departures.next() != nil {}
    }

    private func lookAround() {
        looker.yield()
        stirrer.yield()
    }

    private func lookWhenAsked() async {
        var seen = HeadsSeen()
        for await _ in looks {
            let began = ContinuousClock.now
            await look(&seen)
            do { try await Task.sleep(for: LookPace.pause(after: .now - began)) } catch { return }
        }
    }

    /// Streams that are compared at a time, so that hints go out meanwhile.
    private static let streamsAtATime = 256

    /// Compares what everybody knows with the database.
    private func look(_ seen: inout HeadsSeen) async {
        let all = subscriptions.withLock(\.self)
        seen.keep(Set(all.keys))
        guard !all.isEmpty else { return }
        metrics.count(.looks)
        var some: [AccountID: [Subscription]] = [:]
        var count = 0
        for (account, own) in all {
            some[account] = own
            count += own.count
            guard count >= Self.streamsAtATime else { continue }
            await look(for: some, &seen)
            (some, count) = ([:], 0)
        }
        if !some.isEmpty { await look(for: some, &seen) }
    }

    private func look(for subscriptions: [AccountID: [Subscription]], _ seen: inout HeadsSeen) async {
        do {
            let signedIn = try await store.signedIn(subscriptions.values.flatMap { $0.map(\.device) })
            let heads = try await store.heads(of: Array(subscriptions.keys))
            var changed: [AccountID: Set<ListID>] = [:]
            var outdated: [ListID: SequenceNumber] = [:]
            for (account, own) in subscriptions {
                let present = heads[account] ?? [:]
                let changes = seen.changes(of: account, to: present)
                changed[account] = changes
                for each in own { outdated.merge(each.outdated(by: present, changed: changes)) { min($0, $1) } }
            }
            let authors = outdated.isEmpty ? [] : try await store.authors(after: outdated)
            for (account, own) in subscriptions {
                let present = heads[account] ?? [:]
                for subscription in own {
                    if signedIn.contains(subscription.device) {
                        subscription.compare(with: present, changed: changed[account] ?? [], authors: authors)
                    } else {
                        subscription.end()
                    }
                }
                // Not before: what fails in between is compared again.
                seen.note(present, of: account)
            }
        } catch {
            logger.warning("the lists' heads could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func listen() async {
        guard let signals = store.signals else { return }
        var isListening = true
        for await event in signals.events(except: name) {
            switch event {
            case .interrupted(let reason):
                // Once for each time that it is lost.
                if isListening {
                    logger.warning(
                        "changes of other processes are heard of late: LISTEN doesn't work",
                        metadata: ["error": "\(reason)"])
                }
                isListening = false
                continue
            case .connected where !isListening:
                isListening = true
                logger.notice("changes of other processes are heard of at once again")
            case .connected, .changed: break
            }
            looker.yield()
            stirrer.yield()
        }
    }

    /// NOTIFY takes a lock of the whole database when it commits, so what happens meanwhile is told in one.
    private func notify() async {
        guard store.signals != nil else { return }
        var isTelling = true
        for await _ in outbox {
            do {
                try await store.notifyOthers(as: name)
                isTelling = true
            } catch {
                // Once for each time that it begins to fail.
                logger.log(
                    level: isTelling ? .warning : .debug,
                    "other processes could not be told of changes, and will find them in some seconds",
                    metadata: ["error": "\(error)"])
                isTelling = false
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
