import Testing
import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct TriggerQueueTests {
    func taken(_ triggers: [Trigger]) -> [Trigger] {
        var queue = TriggerQueue()
        for trigger in triggers { queue.add(trigger) }
        var taken: [Trigger] = []
        while let next = queue.take() { taken.append(next) }
        return taken
    }

    @Test func `a hint doesn't take the place of a reconnection, nor of a sync by hand`() {
        #expect(taken([.network, .push]) == [.network])
        #expect(taken([.push, .network]) == [.network])
        #expect(taken([.manual, .push, .timer]) == [.manual])
        #expect(taken([.timer, .ownChange, .push]) == [.ownChange])
    }

    @Test func `a launch is not lost, because only a sync by hand compares digests, too`() {
        #expect(taken([.launch, .network]) == [.network, .launch])
        #expect(taken([.launch, .push, .timer]) == [.launch])
        #expect(taken([.launch, .manual]) == [.manual])
    }

    @Test(arguments: Trigger.allCases) func `several of a kind become one`(_ trigger: Trigger) {
        #expect(taken([trigger, trigger, trigger]) == [trigger])
    }
}
