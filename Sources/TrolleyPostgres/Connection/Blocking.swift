internal import Dispatch
internal import Synchronization

/// Calls that block, on threads outside the cooperative pool.
enum Blocking {
    /// What `body` answers, or nil when it takes longer than `limit`; it goes on by itself then.
    static func run<R: Sendable>(atMost limit: Duration, _ body: @escaping @Sendable () -> R) async -> R? {
        await withCheckedContinuation { (continuation: CheckedContinuation<R?, Never>) in
            let once = Once(continuation)
            DispatchQueue.global().async { once.resume(returning: body()) }
            let deadline = DispatchTime.now() + .milliseconds(Int(limit / .milliseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: deadline) { once.resume(returning: nil) }
        }
    }
}

/// A continuation that several may resume; the first one does.
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
