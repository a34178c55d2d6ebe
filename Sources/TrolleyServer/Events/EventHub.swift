import Logging
import ServiceLifecycle
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Notifies devices of changes at once.
///
/// The hub passes on changes of this process directly. Of other processes' changes it hears by signals (``ChangeSignal``), and
/// compares what they name with the database. It compares everything when signals may have been lost, and from time to time.
final class EventHub: ServiceLifecycle.Service {
    let store: Store
    let metrics: ServiceMetrics
    let logger: Logger
    /// What the background work is woken by.
    let background = BackgroundWork()
    private let pollInterval: Duration
    private let rates: Rates
    private let limiter: RateLimiter
    /// The name under which this process sends signals.
    let name = Secret().text
    /// By account, because most events concern the people of one list.
    private let subscriptions = Mutex<[AccountID: [Subscription]]>([:])
    /// What must be compared with the database, and the request to do so.
    let due = Mutex(DueComparison())
    let comparison = Wake()
    /// What the other processes are to be told, and the request to do so.
    let outgoing = Mutex<Set<ChangeSignal>>([])
    let notification = Wake()
    /// Whether other processes' signals arrive.
    let isListening = Mutex(false)
    let poll = Wake()
    /// Yields when people may have lost a list, or devices their session. For a single reader.
    let accessSignals: AsyncStream<Void>
    private let accessContinuation: AsyncStream<Void>.Continuation
    private let streamClosures: AsyncStream<Void>
    private let closureContinuation: AsyncStream<Void>.Continuation

    /// - Parameter pollInterval: how often the streams are compared with the database while no signals arrive.
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
        (accessSignals, accessContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (streamClosures, closureContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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
        let told = tell(event, on: list, people)
        logger.debug("a list has grown", metadata: ["list": "\(list)", "sequence": "\(head)", "told": "\(told)"])
        background.hosted.note(people)
        background.calendars.note(list)
        // Nobody else is told of a list of one's own.
        if people.count > 1 { background.summaries.request() }
        tellOthers(.appended(list, from: previous, to: head, by: device))
    }

    /// Call this after any other committed change.
    /// - Parameter signals: what it concerns.
    func changed(_ signals: ChangeSignal...) {
        for signal in signals {
            apply(signal)
            tellOthers(signal)
        }
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
        background.summaries.request()
        tellOthers(.list(list))
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
        tellOthers(.list(list))
    }

    /// Ends the streams of devices that were signed out.
    func signedOut(_ devices: [DeviceID]) {
        for device in devices { changed(.signedOut(device)) }
    }

    /// Ends the streams of a deleted account.
    func signedOut(_ account: AccountID) {
        for subscription in subscriptions(of: [account]) { subscription.end() }
        changed(.account(account))
    }

    /// Call this after an account has read a list, when that is committed. Checks only the account's own streams. The
    /// reporting device gets no hint.
    func read(_ list: ListID, through sequence: SequenceNumber, by session: Session) {
        for subscription in subscriptions(of: [session.account]) {
            note(.read(through: sequence, isOwn: subscription.device == session.device), on: list, subscription)
        }
        tellOthers(.list(list))
    }

    /// Call this after an account has changed where it keeps a list, when that is committed. Checks only the account's own
    /// streams. The reporting device gets no hint.
    func placed(_ list: ListID, count: Int64, by session: Session) {
        for subscription in subscriptions(of: [session.account]) {
            note(.placed(count: count, isOwn: subscription.device == session.device), on: list, subscription)
        }
        tellOthers(.list(list))
    }

    /// Tells the streams of some people what was appended to a list.
    /// - Returns: the number of streams for which it is news.
    @discardableResult
    func tell(_ event: StreamNote.Event, on list: ListID, _ people: Set<AccountID>) -> Int {
        let told = subscriptions(of: people).count { note(event, on: list, $0) == .news }
        if told > 0 { metrics.count(.hints, by: told) }
        return told
    }

    /// Notes what happened on a list for one stream. A stream that doesn't know the list yet learns of it by a comparison.
    @discardableResult
    private func note(
        _ event: StreamNote.Event, on list: ListID, _ subscription: Subscription
    ) -> StreamNote.Effect {
        let effect = subscription.note(event, on: list)
        if effect == .unknownList { requestComparison { $0.accounts.insert(subscription.account) } }
        return effect
    }

    /// Ends all streams in a new epoch, because devices may know changes of another epoch. They reconnect, and are told
    /// to sync.
    func epochChanged() {
        for subscription in current { subscription.end() }
        tellOthers(.everything)
    }

    // MARK: Streams

    /// Begins a device's stream; ``unsubscribe(_:)`` ends it.
    /// - Returns: a stream that has ended already if the device was signed out.
    /// - Throws: `Problem` when the account has too many streams; `StoreError`.
    func subscribe(_ session: Session, lastEventID: String?) async throws -> Subscription {
        let subscription = Subscription(session)
        // Register first, then read the heads, so that no change in between is missed: the stream keeps it.
        guard let replaced = enter(subscription) else { throw limiter.refusal(.streams, wait: .seconds(60)) }
        for oldest in replaced { oldest.end() }
        do {
            let registered = ContinuousClock.now
            // The signal of a sign-out may have come before the stream was registered. A later one ends the stream.
            guard try await store.isSignedIn(session.device) else {
                subscription.end()
                return subscription
            }
            let heads = try await store.heads(of: [session.account])[session.account] ?? [:]
            if subscription.begin(at: heads, readAfter: registered, lastEventID: lastEventID) {
                requestComparison { $0.accounts.insert(session.account) }
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

    /// All open streams, by account.
    var byAccount: [AccountID: [Subscription]] { subscriptions.withLock(\.self) }

    var current: [Subscription] { subscriptions.withLock { $0.values.flatMap(\.self) } }

    private func subscriptions(of people: Set<AccountID>) -> [Subscription] {
        subscriptions.withLock { subscriptions in people.flatMap { subscriptions[$0] ?? [] } }
    }

    // MARK: Running

    /// Runs until the service stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.listen() }
                group.addTask { await self.sendSignals() }
                group.addTask { await self.pollPeriodically() }
                group.addTask { await self.sendHeartbeats() }
                await self.compareOnRequest()
                group.cancelAll()
            }
        }
        await endStreams()
    }

    /// Ends all streams, and waits until they have closed. No task belongs to a stream, so nothing else would wait.
    private func endStreams() async {
        for each in current { each.end() }
        var streamClosures = streamClosures.makeAsyncIterator()
        while streams > 0, await streamClosures.next() != nil {}
    }

    private func sendHeartbeats() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(15)) } catch { return }
            for each in current { each.sendHeartbeat() }
        }
    }

    /// How long to wait before looking for what no signal has told: a process can be killed between its change and its
    /// signal.
    var pollPause: Duration { isListening.withLock(\.self) ? max(pollInterval, BackgroundWork.backstop) : pollInterval }

    /// Compares everything from time to time, and at once when signals no longer arrive.
    private func pollPeriodically() async {
        while !Task.isCancelled {
            await poll.wait(atMost: pollPause)
            apply(.everything)
        }
    }
}
