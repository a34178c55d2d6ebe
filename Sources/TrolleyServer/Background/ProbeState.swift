/// Decides when to probe, and which question an earlier probe answers. A value without a clock.
struct ProbeState: Sendable {
    enum Answer: Hashable {
        case ready
        /// Wait for the running probe.
        case wait
        /// The running probe has taken too long.
        case overdue
    }

    let refreshAge: Duration
    let maximumAge: Duration
    let patience: Duration
    private var lastNumber = 0
    private var running: (number: Int, since: ContinuousClock.Instant)?
    /// When the last probe succeeded; nil when it failed.
    private var succeededAt: ContinuousClock.Instant?

    init(refreshAge: Duration, maximumAge: Duration, patience: Duration) {
        self.refreshAge = refreshAge
        self.maximumAge = maximumAge
        self.patience = patience
    }

    /// - Returns: the answer, and the number of a probe to start now.
    mutating func ask(at now: ContinuousClock.Instant) -> (answer: Answer, probe: Int?) {
        let age = succeededAt.map { now - $0 }
        let isKnown = age.map { $0 <= maximumAge } ?? false
        if let running {
            if isKnown { return (.ready, nil) }
            return (now - running.since < patience ? .wait : .overdue, nil)
        }
        if isKnown, let age, age < refreshAge { return (.ready, nil) }
        lastNumber += 1
        running = (lastNumber, now)
        return (isKnown ? .ready : .wait, lastNumber)
    }

    func isRunning(_ number: Int) -> Bool { running?.number == number }

    /// - Returns: whether the probe was running.
    mutating func ended(_ number: Int, successfully: Bool, at now: ContinuousClock.Instant) -> Bool {
        guard isRunning(number) else { return false }
        running = nil
        succeededAt = successfully ? now : nil
        return true
    }
}
