internal import Dispatch
internal import Synchronization

/// Runs blocking calls on threads outside the cooperative pool.
enum Blocking {
    /// Returns the result of `body`, or nil if `body` takes longer than `limit`. In that case `body` runs on, and its
    /// result is dropped.
    static func run<R: Sendable>(atMost limit: Duration, _ body: @escaping @Sendable () -> R) async -> R? {
        await withCheckedContinuation { (continuation: CheckedContinuation<R?, Never>) in
            let once = Once(continuation)
            DispatchQueue.global().async { once.resume(returning: body()) }
            let deadline = DispatchTime.now() + .milliseconds(Int(limit / .milliseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: deadline) { once.resume(returning: nil) }
        }
    }
}

/// A continuation that several callers may resume. The first one wins; the others have no effect.
private final class Once<R: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<R?, Never>?>

    init(_ continuation: CheckedContinuation<R?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning value: R?) {
        let continuation = continuation.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: value)
    }
}
