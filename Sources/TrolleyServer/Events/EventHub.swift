import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Notifies devices of changes at once.
///
/// The hub passes on changes of this process directly. It hears of other processes' changes by NOTIFY, which is only a
/// hint to compare the lists' heads. It also compares them every few seconds, in case a NOTIFY was lost.
final class EventHub: ServiceLifecycle.Service {
    private let store: Store
    private let pollInterval: Duration
    private let rates: Rates
    private let limiter: RateLimiter
    private let metrics: ServiceMetrics
    private let logger: Logger
    private let name = Secret().text
    /// By account, because most events concern the people of one list.
    private let subscriptions = Mutex<[AccountID: [Subscription]]>([:])
    private let recheckRequests: AsyncStream<Void>
    private let recheckContinuation: AsyncStream<Void>.Continuation
    /// Yields when this process hears of any change. For a single reader.
    let changeSignals: AsyncStream<Void>
    private let changeContinuation: AsyncStream<Void>.Continuation
    /// Yields when people may have lost a list, or devices their session. For a single reader.
    let accessSignals: AsyncStream<Void>
    private let accessContinuation: AsyncStream<Void>.Continuation
    private let streamClosures: AsyncStream<Void>
    private let closureContinuation: AsyncStream<Void>.Continuation
    private let notifyRequests: AsyncStream<Void>
    private let notifyContinuation: AsyncStream<Void>.Continuation

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
        (recheckRequests, recheckContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (changeSignals, changeContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (accessSignals, accessContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (streamClosures, closureContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (notifyRequests, notifyContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Events

    /// Call this after a device has appended to a list, when the append is committed.
    /// - Parameter people: the accounts on the list at that moment. A person who was removed before gets no hint, even
    ///   if this process doesn't know about the removal yet.
    func appended(
        to list: ListID, from previous: SequenceNumber, to head: SequenceNumber, by device: DeviceID,
        people: Set<AccountID>
    ) {
        let event = StreamNote.Event.appended(from: previous, to: head, author: device)
        let told = subscriptions(of: people).count { note(event, on: list, $0) == .news }
        if told > 0 { metrics.count(.hints, by: told) }
        logger.debug("a list has grown", metadata: ["list": "\(list)", "sequence": "\(head)", "told": "\(told)"])
        changeContinuation.yield()
        notifyContinuation.yield()
    }

    /// Call this after any other committed change, such as one of participants or by compression.
    func somethingChanged() {
        accessContinuation.yield()
        recheckContinuation.yield()
        changeContinuation.yield()
        notifyContinuation.yield()
    }

    /// Asks for a comparison of who may be where.
    func requestAccessCheck() { accessContinuation.yield() }

    /// Call this after a person has opened or closed a list, when that is committed. Checks only the streams of that
    /// list's participants.
    /// - Parameters:
    ///   - present: the accounts that have the list open now.
    ///   - people: the accounts on the list.
    func presenceChanged(on list: ListID, present: [AccountID], people: Set<AccountID>) {
        for subscription in subscriptions(of: people) { note(.presence(present), on: list, subscription) }
        notifyContinuation.yield()
    }

    /// Call this when devices were hailed to a room, by this process or another one.
    func hailed(_ devices: Set<DeviceID>, on list: ListID) {
        for subscription in current where devices.contains(subscription.device) {
            note(.hailed, on: list, subscription)
        }
    }

    /// Call this when people have got a summary of a list, when that is committed.
    func summarized(_ list: ListID, through sequence: SequenceNumber, for people: Set<AccountID>) {
        for subscription in subscriptions(of: people) {
            note(.summarized(through: sequence), on: list, subscription)
        }
        notifyContinuation.yield()
    }

    /// Ends the streams of a device that was signed out.
    func signedOut(_ device: DeviceID) {
        for subscription in current where subscription.device == device { subscription.end() }
        // Another process may serve its stream.
        somethingChanged()
    }

    /// Ends the streams of a deleted account.
    func signedOut(_ account: AccountID) {
        for subscription in subscriptions(of: [account]) { subscription.end() }
        somethingChanged()
    }

    /// Call this after an account has read a list, when that is committed. Checks only the account's own streams. The
    /// reporting device gets no hint.
    func read(_ list: ListID, through sequence: SequenceNumber, by session: Session) {
        for subscription in subscriptions(of: [session.account]) {
            note(.read(through: sequence, isOwn: subscription.device == session.device), on: list, subscription)
        }
        notifyContinuation.yield()
    }

    /// Notes what happened on a list for one stream. A stream that doesn't know the list yet learns of it by a comparison.
    @discardableResult
    private func note(
        _ event: StreamNote.Event, on list: ListID, _ subscription: Subscription
    ) -> StreamNote.Effect {
        let effect = subscription.note(event, on: list)
        if effect == .unknownList { recheckContinuation.yield() }
        return effect
    }

    /// Ends all streams in a new epoch, because devices may know changes of another epoch. They reconnect, and are told
    /// to sync.
    func epochChanged() {
        for subscription in current { subscription.end() }
        notifyContinuation.yield()
    }

    /// Begins a device's stream; ``unsubscribe(_:)`` ends it.
    /// - Throws: `Problem` when the account has too many streams; `StoreError`.
    func subscribe(_ session: Session, lastEventID: String?) async throws -> Subscription {
        let subscription = Subscription(session)
        // Register first, then read the heads, so that no change in between is missed: the stream keeps it.
        guard let replaced = enter(subscription) else { throw limiter.refusal(.streams, wait: .seconds(60)) }
        for oldest in replaced { oldest.end() }
        do {
            let registered = ContinuousClock.now
            let heads = try await store.heads(of: [session.account])[session.account] ?? [:]
            if subscription.begin(at: heads, readAfter: registered, lastEventID: lastEventID) {
                recheckContinuation.yield()
            }
        } catch {
            unsubscribe(subscription)
            throw error
        }
        logger.debug(
            "a stream begins", metadata: ["device": "\(session.device)", "replaces": "\(replaced.count)"])
        return subscription
    }

    /// Ends the device's oldest streams if it has too many. The device reads the newest one; older ones are often dead
    /// connections.
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

    /// The number of open streams.
    var streams: Int { subscriptions.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    func unsubscribe(_ subscription: Subscription) {
        subscriptions.withLock { subscriptions in
            let rest = subscriptions[subscription.account]?.filter { $0 !== subscription } ?? []
            subscriptions[subscription.account] = rest.isEmpty ? nil : rest
        }
        closureContinuation.yield()
    }

    private var current: [Subscription] { subscriptions.withLock { $0.values.flatMap(\.self) } }

    private func subscriptions(of people: Set<AccountID>) -> [Subscription] {
        subscriptions.withLock { subscriptions in people.flatMap { subscriptions[$0] ?? [] } }
    }

    // MARK: Running

    /// Runs until the service stops.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.listen() }
                group.addTask { await self.notify() }
                group.addTask { await self.every(self.pollInterval) { self.requestRecheck() } }
                group.addTask { await self.every(.seconds(15)) { for each in self.current { each.sendHeartbeat() } } }
                await recheckOnRequest()
                group.cancelAll()
            }
            await endStreams()
        } onGracefulShutdown: {
            self.recheckContinuation.finish()
        }
    }

    /// Ends all streams, and waits until they have closed. No task belongs to a stream, so nothing else would wait.
    private func endStreams() async {
        for each in current { each.end() }
        var streamClosures = streamClosures.makeAsyncIterator()
        while streams > 0, await streamClosures.next() != nil {}
    }

    private func requestRecheck() {
        accessContinuation.yield()
        recheckContinuation.yield()
        changeContinuation.yield()
    }

    private func recheckOnRequest() async {
        var seen = HeadsSeen()
        for await _ in recheckRequests {
            let began = ContinuousClock.now
            await recheck(&seen)
            do { try await Task.sleep(for: RecheckPacing.pause(after: .now - began)) } catch { return }
        }
    }

    /// Streams to compare at a time, so that hints are sent in between.
    private static let streamsPerBatch = 256

    /// Compares the state of all streams with the database.
    private func recheck(_ seen: inout HeadsSeen) async {
        let all = subscriptions.withLock(\.self)
        seen.keep(Set(all.keys))
        guard !all.isEmpty else { return }
        metrics.count(.rechecks)
        var some: [AccountID: [Subscription]] = [:]
        var count = 0
        for (account, own) in all {
            some[account] = own
            count += own.count
            guard count >= Self.streamsPerBatch else { continue }
            await recheck(for: some, &seen)
            (some, count) = ([:], 0)
        }
        if !some.isEmpty { await recheck(for: some, &seen) }
    }

    private func recheck(for subscriptions: [AccountID: [Subscription]], _ seen: inout HeadsSeen) async {
        do {
            let began = ContinuousClock.now
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
                        subscription.compare(
                            with: present, readAfter: began, changed: changed[account] ?? [], authors: authors)
                    } else {
                        subscription.end()
                    }
                }
                // Only now: after a failure the comparison is repeated.
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
                // Log once for each interruption.
                if isListening {
                    logger.warning(
                        "LISTEN doesn't work: other processes' changes arrive late",
                        metadata: ["error": "\(reason)"])
                }
                isListening = false
                continue
            case .connected where !isListening:
                isListening = true
                logger.notice("LISTEN works again: other processes' changes arrive at once")
            case .connected, .changed: break
            }
            recheckContinuation.yield()
            changeContinuation.yield()
            accessContinuation.yield()
        }
    }

    /// NOTIFY takes a database-wide lock at commit, so changes are batched into one NOTIFY.
    private func notify() async {
        guard store.signals != nil else { return }
        var isTelling = true
        for await _ in notifyRequests {
            do {
                try await store.notifyOthers(as: name)
                isTelling = true
            } catch {
                // Log once for each series of failures.
                logger.log(
                    level: isTelling ? .warning : .debug,
                    "other processes could not be notified of changes; they will find them within seconds",
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
