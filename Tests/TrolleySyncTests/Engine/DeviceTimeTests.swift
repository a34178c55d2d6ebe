import Testing
import TrolleyJournal
import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct DeviceTimeTests {
    @Test func `within one run of the machine the wall clock doesn't matter`() {
        let made = DeviceTime(boot: "a", uptime: 1000, wall: Timestamp(milliseconds: 5_000_000))
        let now = DeviceTime(boot: "a", uptime: 4500, wall: Timestamp(milliseconds: 0))
        #expect(made.age(at: now) == 3500)
    }

    @Test func `across a restart it is the wall clock, never negative`() {
        let made = DeviceTime(boot: "a", uptime: 1000, wall: Timestamp(milliseconds: 5000))
        #expect(made.age(at: DeviceTime(boot: "b", uptime: 9, wall: Timestamp(milliseconds: 8000))) == 3000)
        #expect(made.age(at: DeviceTime(boot: "b", uptime: 9, wall: Timestamp(milliseconds: 1000))) == 0)
        #expect(made.age(at: DeviceTime(boot: "b", uptime: 9, wall: Timestamp(milliseconds: .min))) == 0)
    }
}
