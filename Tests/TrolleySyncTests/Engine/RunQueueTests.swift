import Testing

@testable import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct RunQueueTests {
    /// Runs that each wait until the test ends them.
    actor Runs {
        private(set) var begun: [Trigger] = []
        private var running: CheckedContinuation<Void, Never>?
        private var watchers: [CheckedContinuation<Void, Never>] = []

        func run(_ trigger: Trigger) async -> Trigger {
            begun.append(trigger)
            for watcher in watchers { watcher.resume() }
            watchers = []
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if Task.isCancelled { return continuation.resume() }
                    running = continuation
                }
            } onCancel: {
                Task { await self.end() }
            }
            return trigger
        }

        func end() {
            running?.resume()
            running = nil
        }

        func untilBegun(_ count: Int) async {
            while begun.count < count { await withCheckedContinuation { watchers.append($0) } }
        }
    }

    let queue = RunQueue<Trigger>()
    let runs = Runs()

    func start(_ trigger: Trigger) -> Task<Trigger?, Never> {
        Task { [queue, runs] in await queue.run(trigger) { await runs.run($0) } }
    }

    @Test func `what comes during a run shares the next one, with the trigger that waits least`() async {
        let first = start(.timer)
        await runs.untilBegun(1)
        let others = [Trigger.push, .network, .push].map { start($0) }
        await queue.untilWaiting(3)
        await runs.end()
        #expect(await first.value == .timer)
        await runs.untilBegun(2)
        await runs.end()
        for other in others { #expect(await other.value == .network) }
        #expect(await runs.begun == [.timer, .network])
    }

    @Test func `a caller that gives up doesn't stop a run that others wait for`() async {
        let first = start(.timer)
        await runs.untilBegun(1)
        let (patient, hasty) = (start(.push), start(.push))
        await queue.untilWaiting(2)
        await runs.end()
        _ = await first.value
        await runs.untilBegun(2)
        hasty.cancel()
        #expect(await hasty.value == nil)
        await runs.end()
        #expect(await patient.value == .push)
    }

    @Test func `a run ends when its only caller gives up, and its report is answered`() async {
        let only = start(.timer)
        await runs.untilBegun(1)
        only.cancel()
        #expect(await only.value == .timer)
    }

    @Test func `a caller that gives up before its run has begun leaves nothing behind`() async {
        let first = start(.timer)
        await runs.untilBegun(1)
        let hasty = start(.manual)
        await queue.untilWaiting(1)
        hasty.cancel()
        #expect(await hasty.value == nil)
        await runs.end()
        _ = await first.value
        #expect(await runs.begun == [.timer])
    }
}

extension RunQueue {
    /// Waits until as many callers wait for the next run.
    fileprivate func untilWaiting(_ count: Int) async { while waitingCount < count { await Task.yield() } }
}
