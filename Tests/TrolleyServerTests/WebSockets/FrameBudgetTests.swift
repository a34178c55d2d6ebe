import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

@Suite("The frames of devices and accounts", .timeLimit(.minutes(20)))
struct FrameBudgetTests {
    private let start = ContinuousClock.now

    @Test("a device has two seconds' worth at once, then its rate, however often it connects")
    func device() {
        let budget = FrameBudget(RoomLimits(messagesPerSecond: 50, messagesPerSecondByAccount: 1000))
        let session = Session(account: .random(), device: .random())
        #expect((0..<1000).count { _ in budget.take(by: session, at: start) } == 100)
        #expect((0..<1000).count { _ in budget.take(by: session, at: start + .seconds(1)) } == 50)
        #expect(budget.take(by: Session(account: session.account, device: .random()), at: start))
    }

    @Test("the devices of an account share its rate, and others have their own")
    func account() {
        let budget = FrameBudget(RoomLimits(messagesPerSecond: 50, messagesPerSecondByAccount: 200))
        let account = AccountID.random()
        let sent = (0..<25).map { _ in
            let session = Session(account: account, device: .random())
            return (0..<200).count { _ in budget.take(by: session, at: start) }
        }
        #expect(sent.reduce(0, +) == 400)
        #expect(budget.take(by: Session(account: .random(), device: .random()), at: start))
    }
}
