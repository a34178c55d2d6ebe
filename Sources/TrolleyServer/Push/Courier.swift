import FoundationEssentials
import Logging
import ServiceLifecycle
import Synchronization
import TrolleyStore

/// Sends what is in the outbox to push services and webhooks.
///
/// The outbox is in the database, so deliveries survive a restart. Each is claimed before it is sent, so that two processes
/// don't send it. A process that is killed while it sends leaves the delivery to be sent again, with the same id.
///
/// It looks when something has been put into the outbox, when an attempt has ended, and when the next one is due.
struct Courier: ServiceLifecycle.Service {
    let leadership: Leadership
    let wake: Wake
    let store: Store
    let settings: PushSettings
    let identities: PushIdentitySource
    let tokenKey: ChangeToken.Key
    let metrics: ServiceMetrics
    let disk: DiskMonitor
    let logger: Logger

    /// The pause between two looks at the outbox.
    private static let pause = Duration.milliseconds(20)

    func run() async throws {
        let client = EndpointClient(settings: settings)
        await cancelWhenGracefulShutdown { await leadership.whileLeading { await deliver(with: client) } }
        client.shutDown()
    }

    private func deliver(with client: EndpointClient) async {
        let slots = Slots(DeliverySlots(settings: settings))
        await withDiscardingTaskGroup { group in
            var isWorking = true
            while !Task.isCancelled {
                var next = BackgroundWork.backstop
                do throws(StoreError) {
                    let identity = try await identities.identity()
                    var isIdle = true
                    // What one lane has claimed is on its way before the other one is asked, which may fail.
                    for failing in [false, true] where !disk.isFull {
                        for delivery in try await claim(failing: failing, slots) {
                            isIdle = false
                            group.addTask {
                                await send(delivery, as: identity, with: client)
                                slots.value.withLock { $0.end(delivery.target) }
                                wake.request()
                            }
                        }
                    }
                    next = isIdle ? try await untilNext() : .zero
                    isWorking = true
                } catch {
                    // Log once for each series of failures.
                    logger.log(
                        level: isWorking ? .warning : .debug, "notices can't be read; later rounds try again",
                        metadata: ["error": "\(error)"])
                    isWorking = false
                    next = .seconds(1)
                }
                do { try await Task.sleep(for: Self.pause) } catch { break }
                if next > Self.pause { await wake.wait(atMost: next - Self.pause) }
            }
            group.cancelAll()
        }
    }

    /// How long nothing will be due, unless something is put into the outbox meanwhile.
    private func untilNext() async throws(StoreError) -> Duration {
        guard let next = try await store.nextDelivery() else { return BackgroundWork.backstop }
        return min(.milliseconds(next), BackgroundWork.backstop)
    }

    /// Claims what a lane can take.
    private func claim(failing: Bool, _ slots: Slots) async throws(StoreError) -> [ClaimedDelivery] {
        guard let lane = slots.value.withLock({ $0.lane(failing: failing) }) else { return [] }
        let claimed = try await store.claimDeliveries(lane) { delivery, error in
            logger.warning(
                "a delivery can't be read; it is given up",
                metadata: ["delivery": "\(delivery)", "error": "\(error)"])
            // Its target's next one may be due.
            wake.request()
        }
        slots.value.withLock { slots in
            for delivery in claimed { slots.begin(delivery.target) }
        }
        return claimed
    }

    private func send(
        _ delivery: ClaimedDelivery, as identity: PushIdentity, with client: EndpointClient
    ) async {
        let verdict = await attempt(delivery, as: identity, with: client)
        // Shutting down: the delivery is sent again when its lease has ended.
        if Task.isCancelled, verdict != .delivered { return }
        do throws(StoreError) {
            try await note(verdict, of: delivery)
        } catch {
            logger.warning(
                "a delivery's outcome could not be stored; it is sent again", metadata: ["error": "\(error)"])
        }
    }

    private func attempt(
        _ delivery: ClaimedDelivery, as identity: PushIdentity, with client: EndpointClient
    ) async -> DeliveryVerdict {
        do throws(DeliveryFailure) {
            guard let url = EndpointURL(delivery.target.url) else { throw .invalidEndpoint }
            let message = try await OutgoingMessage(
                delivery, to: url, identity: identity, contact: settings.contact, tokenKey: tokenKey,
                now: Int64(Date().timeIntervalSince1970))
            let answer = try await client.post(message, to: url, failing: delivery.target.failing)
            return DeliveryVerdict(answer, isPush: delivery.target.isPush)
        } catch {
            logger.debug(
                "an endpoint could not be reached",
                metadata: ["delivery": "\(delivery.id)", "reason": "\(error)"])
            return DeliveryVerdict(error)
        }
    }

    private func note(_ verdict: DeliveryVerdict, of delivery: ClaimedDelivery) async throws(StoreError) {
        var outcome = "delivered"
        switch verdict {
        case .delivered: try await store.noteDelivered(delivery)
        case .retry(let failure, let after):
            let pause = RetryPause.after(
                attempt: delivery.attempt, first: settings.firstPause.nanoseconds / 1_000_000, retryAfter: after,
                jitter: .random(in: 0...1))
            let gaveUp = try await store.retry(
                delivery, in: pause, after: failure, attempts: settings.attempts)
            outcome = gaveUp ? "dead" : "failed"
        case .giveUp(let failure):
            try await store.bury(delivery, after: failure)
            outcome = "dead"
        case .endTarget:
            try await store.endTarget(of: delivery)
            outcome = "ended"
        }
        metrics.count(
            .deliveries, [("kind", delivery.target.isPush ? "push" : "webhook"), ("outcome", outcome)])
        logger.debug(
            "a notice was sent",
            metadata: ["delivery": "\(delivery.id)", "attempt": "\(delivery.attempt)", "verdict": "\(verdict)"])
    }

    /// Shared by the tasks of ``run()``.
    private final class Slots: Sendable {
        let value: Mutex<DeliverySlots>

        init(_ slots: DeliverySlots) { value = Mutex(slots) }
    }
}
