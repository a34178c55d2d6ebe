/// When all hosted devices must be looked at again, whatever is announced until then. A device that rests and a list that waits
/// become due without a signal, and so does a change whose process has died.
struct HostedRounds {
    /// nil until all devices were looked at.
    private var wholeAt: ContinuousClock.Instant?

    /// Records a round.
    /// - Parameters:
    ///   - due: the devices that the round has looked at.
    ///   - rest: how long they need not be looked at again.
    mutating func note(_ due: HostedWork.Due, rest: Duration, at now: ContinuousClock.Instant) {
        let next = now.advanced(by: rest)
        // A round of some devices doesn't put the others off.
        wholeAt = due.isWhole ? next : min(wholeAt ?? next, next)
    }

    /// How long nothing is due that isn't announced.
    func pause(at now: ContinuousClock.Instant) -> Duration {
        wholeAt.map { max(.zero, now.duration(to: $0)) } ?? .zero
    }

    /// The devices that the next round looks at.
    func next(_ announced: HostedWork.Due, at now: ContinuousClock.Instant) -> HostedWork.Due {
        pause(at: now) == .zero ? HostedWork.Due(isWhole: true) : announced
    }
}
