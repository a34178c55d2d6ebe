/// Runs one sync at a time, for triggers that come at any time. Several triggers that come during a run share the next run.
///
/// A program has one queue for a device, so that no trigger is lost and none runs beside another.
public actor RunQueue<Report: Sendable> {
    public typealias Perform = @Sendable (Trigger) async -> Report

    private var triggers = TriggerQueue()
    private var perform: Perform?
    private var task: Task<Void, Never>?
    private var lastCaller = 0
    /// The callers of the present run, and those of the next one.
    private var served: [Int: CheckedContinuation<Report?, Never>] = [:]
    private var waiting: [Int: CheckedContinuation<Report?, Never>] = [:]

    public init() {}

    /// The number of callers that wait for the next run.
    var waitingCount: Int { waiting.count }

    /// Runs `perform` once the present run has ended, with this trigger or one of a higher precedence.
    ///
    /// A cancelled caller doesn't wait any longer. Its run ends early only when nobody else waits for it.
    /// - Returns: the run's report; nil when the caller was cancelled and its run has not begun, or goes on for others.
    public func run(_ trigger: Trigger, _ perform: @escaping Perform) async -> Report? {
        lastCaller += 1
        let caller = lastCaller
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: nil) }
                triggers.add(trigger)
                self.perform = perform
                waiting[caller] = continuation
                beginNext()
            }
        } onCancel: {
            Task { await self.abandon(caller) }
        }
    }

    private func beginNext() {
        guard task == nil, let perform, let trigger = triggers.take() else { return }
        served = waiting
        waiting = [:]
        task = Task { end(with: await perform(trigger)) }
    }

    private func end(with report: Report) {
        task = nil
        let callers = served.values
        served = [:]
        for caller in callers { caller.resume(returning: report) }
        if triggers.isEmpty { perform = nil }
        beginNext()
    }

    private func abandon(_ caller: Int) {
        if let continuation = waiting.removeValue(forKey: caller) {
            if waiting.isEmpty { triggers = TriggerQueue() }
            continuation.resume(returning: nil)
        } else if served.count == 1, served[caller] != nil {
            // Its report says how far it has come.
            task?.cancel()
        } else {
            served.removeValue(forKey: caller)?.resume(returning: nil)
        }
    }
}
