internal import Synchronization

/// A value that one task waits for and other tasks provide. The first value counts; later ones have no effect.
///
/// A wait that can be cancelled first enters its queue and then waits for the promise. A cancellation looks for it in the
/// queue, and fulfils the promise if it is still there. So a cancellation may come before, during or after the wait, and
/// nothing has to remember it.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case waiting(CheckedContinuation<Value, Never>)
        case fulfilled(Value)
    }

    private let state = Mutex(State.pending)

    package init() {}

    package func fulfill(_ value: Value) {
        let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .pending:
                state = .fulfilled(value)
                return nil
            case .waiting(let continuation):
                state = .fulfilled(value)
                return continuation
            case .fulfilled: return nil
            }
        }
        continuation?.resume(returning: value)
    }

    /// The value, as soon as there is one. Only one task may wait.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .fulfilled(let value) = state { return value }
                    state = .waiting(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    /// The value. `whenCancelled` runs when the task is cancelled, at once if it is cancelled already; it must remove
    /// the wait from its queue and fulfil the promise, unless somebody else has removed it.
    package func value(whenCancelled: @Sendable () -> Void) async -> Value {
        await withTaskCancellationHandler(operation: { await value }, onCancel: whenCancelled)
    }
}
