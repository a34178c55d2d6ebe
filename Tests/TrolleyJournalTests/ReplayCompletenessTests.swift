import Testing
import TrolleyJournal

@Suite("Completeness of a replay")
struct ReplayCompletenessTests {
    private func entry(_ counter: Int, device: Int, receivedAt: Int) -> ConfirmedEntry {
        var entry = ConfirmedEntry.sample(device * 100 + counter, .add, counter, device: device, receivedAt: receivedAt)
        entry.entry.deviceSequence = Int64(counter)
        return entry
    }

    @Test("a replay is ready when every device was heard of since and holds nothing back")
    func ready() {
        let entries = [entry(1, device: 1, receivedAt: 10), entry(2, device: 1, receivedAt: 11)]
        let reports = [
            DeviceReport(device: .sample(1), heardOf: .seconds(20), waiting: 0),
            DeviceReport(device: .sample(2), heardOf: .seconds(21)),
        ]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: reports) == .ready)
    }

    @Test("a gap in a device's own counters shows that it holds entries back")
    func gap() {
        let entries = [entry(1, device: 1, receivedAt: 10), entry(4, device: 1, receivedAt: 11)]
        let reports = [DeviceReport(device: .sample(1), heardOf: .seconds(20))]
        #expect(
            ReplayCompleteness(of: entries, until: .seconds(20), devices: reports)
                == .waiting([.init(device: .sample(1), reason: .holdsBack(2))]))
    }

    @Test("what a device says of its queue counts more than a gap: an entry may have been rejected")
    func rejected() {
        let entries = [entry(1, device: 1, receivedAt: 10), entry(3, device: 1, receivedAt: 11)]
        let reports = [DeviceReport(device: .sample(1), heardOf: .seconds(20), waiting: 0)]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: reports) == .ready)
    }

    @Test("a device that has not been heard of since is missing")
    func notHeardOf() {
        let reports = [
            DeviceReport(device: .sample(1), heardOf: .seconds(19), waiting: 0),
            DeviceReport(device: .sample(2), heardOf: nil),
        ]
        #expect(
            ReplayCompleteness(of: [], until: .seconds(20), devices: reports)
                == .waiting([
                    .init(device: .sample(1), reason: .notHeardOfSince(.seconds(19))),
                    .init(device: .sample(2), reason: .notHeardOfSince(nil)),
                ]))
    }

    @Test("a device of somebody who has left is judged by its counters alone")
    func somebodyWhoLeft() {
        let entries = [entry(1, device: 7, receivedAt: 10)]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: []) == .ready)
    }
}
