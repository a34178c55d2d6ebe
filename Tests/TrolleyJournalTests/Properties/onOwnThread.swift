import Foundation

/// Runs what computes for minutes on a thread of its own. On the threads that tasks share it would hold up every other
/// test of the process, and they would miss their time-outs.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result(catching: body)) }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
