import Dispatch
import Testing
import TrolleyTestSupport

@testable import TrolleyPostgres

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(20))) struct ReadinessTests {
    /// The numbers of descriptors are reused at once here, as with short-lived connections.
    @Test(arguments: 0..<4) func `no byte and no end of a stream is missed`(_ run: Int) async throws {
        for number in 0..<1000 {
            let (ours, theirs) = try socketPair()
            defer { close(ours) }
            if number % 3 == 0 {
                _ = await Readiness.shared.wait(for: .writable, on: ours, until: nil, cancellable: false)
            }
            // On a thread, not in a task: other tests may delay all tasks beyond the deadline below.
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                for _ in 0..<2 {
                    _ = write(theirs, "x", 1)
                    if number % 2 == 0 { sched_yield() }
                }
                close(theirs)
                isDone.signal()
            }
            defer { isDone.wait() }
            var isOpen = true
            while isOpen {
                let outcome = await Readiness.shared.wait(
                    for: .readable, on: ours, until: .now + .seconds(300), cancellable: true)
                guard case .ready = outcome else {
                    Issue.record("missed something in round \(number)")
                    break
                }
                var byte: UInt8 = 0
                isOpen = recv(ours, &byte, 1, Int32(MSG_DONTWAIT)) != 0
            }
        }
    }

    @Test func `waiting ends at the deadline, and when the task is cancelled`() async throws {
        let (ours, theirs) = try socketPair()
        defer {
            close(ours)
            close(theirs)
        }
        let readiness = Readiness()
        #expect(
            await readiness.wait(for: .readable, on: ours, until: .now + .milliseconds(20), cancellable: true)
                == .timedOut)
        let waiting = Task { await readiness.wait(for: .readable, on: ours, until: nil, cancellable: true) }
        try await eventually {
            readiness.waiting
        } until: {
            $0 == 1
        }
        waiting.cancel()
        #expect(await waiting.value == .cancelled)
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await readiness.wait(for: .readable, on: ours, until: nil, cancellable: true)
        }
        #expect(await cancelledBefore.value == .cancelled)
    }

    @Test func `a wait with an earlier deadline than the others ends first`() async throws {
        let (ours, theirs) = try socketPair()
        let (other, far) = try socketPair()
        defer { for socket in [ours, theirs, other, far] { close(socket) } }
        let readiness = Readiness()
        let long = Task {
            await readiness.wait(for: .readable, on: other, until: .now + .seconds(3600), cancellable: true)
        }
        try await eventually {
            readiness.waiting
        } until: {
            $0 == 1
        }
        for _ in 0..<3 {
            #expect(
                await readiness.wait(for: .readable, on: ours, until: .now + .milliseconds(5), cancellable: false)
                    == .timedOut)
        }
        #expect(readiness.waiting == 1)
        long.cancel()
        #expect(await long.value == .cancelled)
    }

    @Test func `a socket that is closed, or none, isn't waited for`() async throws {
        let (ours, theirs) = try socketPair()
        close(ours)
        defer { close(theirs) }
        let readiness = Readiness()
        for socket in [-1, theirs] {
            let outcome = await readiness.wait(for: .readable, on: socket, until: nil, cancellable: false)
            #expect(outcome == .ready(readable: true, writable: true), "\(socket)")
        }
        #expect(readiness.waiting == 0)
    }

    @Test func `a wait leaves nothing behind, whenever its task is cancelled`() async throws {
        let readiness = Readiness()
        let (ours, theirs) = try socketPair()
        defer {
            close(ours)
            close(theirs)
        }
        for round in 0..<200 {
            let waiting = Task {
                // Some waits have ended when the cancellation comes, some have not, and some have not begun.
                await readiness.wait(
                    for: .readable, on: ours, until: round % 3 == 0 ? .now + .microseconds(500) : nil,
                    cancellable: true)
            }
            if round % 2 == 0 { await Task.yield() }
            waiting.cancel()
            _ = await waiting.value
            waiting.cancel()
        }
        #expect(readiness.waiting == 0)
    }

    @Test func `a call that blocks is waited for no longer than the limit`() async {
        #expect(await Blocking.run(atMost: .seconds(300)) { 7 } == 7)
        // It would block forever if the test did not release it.
        let block = DispatchSemaphore(value: 0)
        #expect(await Blocking.run(atMost: .milliseconds(20)) { block.wait() } == nil)
        block.signal()
    }

    private func socketPair() throws -> (Int32, Int32) {
        var descriptors: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
        return (descriptors[0], descriptors[1])
    }
}
