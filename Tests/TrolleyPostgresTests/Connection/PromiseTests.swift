import Testing

@testable import TrolleyPostgres

@Suite(.timeLimit(.minutes(20))) struct PromiseTests {
    @Test func `the first value counts, before the wait or during it`() async {
        let early = Promise<Int>()
        early.fulfill(1)
        early.fulfill(2)
        #expect(await early.value == 1)
        let late = Promise<Int>()
        async let value = late.value
        late.fulfill(3)
        late.fulfill(4)
        #expect(await value == 3)
    }

    @Test func `a cancellation ends the wait, also one that came before`() async {
        for isEarly in [true, false] {
            let promise = Promise<String>()
            let waiting = Task {
                if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
                return await promise.value { promise.fulfill("cancelled") }
            }
            if !isEarly { waiting.cancel() }
            #expect(await waiting.value == "cancelled")
        }
    }
}
