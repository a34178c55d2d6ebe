import Foundation

/// Runs a computation of minutes on a thread of its own. On the threads that tasks share, it would delay every other
/// test of the process beyond its time-outs.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
