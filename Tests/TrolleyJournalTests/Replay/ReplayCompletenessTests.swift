import Testing
import TrolleyJournal

@Suite("Completeness of a replay", .timeLimit(.minutes(20)))
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
            DeviceReport(device: .sample(1), lastHeardFrom: .seconds(20), queue: .init(at: .seconds(20), least: nil)),
            DeviceReport(device: .sample(2), lastHeardFrom: .seconds(21)),
        ]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: reports) == .ready)
    }

    @Test(
        "a gap counts as held back until the device, which sends no reports, makes a request after the entry above it",
        arguments: [(nil, true), (10, true), (11, true), (12, false)] as [(Int?, Bool)])
    func gap(lastHeardFrom: Int?, waits: Bool) {
        let entries = [entry(1, device: 1, receivedAt: 10), entry(4, device: 1, receivedAt: 11)]
        let reports = [DeviceReport(device: .sample(1), lastHeardFrom: lastHeardFrom.map { .seconds($0) })]
        #expect(
            ReplayCompleteness(of: entries, until: .seconds(11), devices: reports)
                == (waits ? .waiting([.init(device: .sample(1), reason: .holdsBack(2))]) : .ready))
    }

    @Test(
        "a gap is settled once the device says that it holds nothing back there: the entry was refused for good",
        arguments: [
            // The report came after the entry above the gap, or before.
            (DeviceReport.Queue(at: .seconds(11), least: nil), 0), (.init(at: .seconds(10), least: nil), 3),
            // The device holds back the last of the three, or the first, or an unsent entry that is newer than all.
            (.init(at: .seconds(12), least: 4), 1), (.init(at: .seconds(12), least: 2), 3),
            (.init(at: .seconds(12), least: 9), 1),
            // The entry that it held back has come meanwhile.
            (.init(at: .seconds(12), least: 5), 0),
        ] as [(DeviceReport.Queue, Int)])
    func settled(queue: DeviceReport.Queue, heldBack: Int) {
        let entries = [entry(1, device: 1, receivedAt: 10), entry(5, device: 1, receivedAt: 11)]
        let reports = [DeviceReport(device: .sample(1), lastHeardFrom: .seconds(20), queue: queue)]
        #expect(
            ReplayCompleteness(of: entries, until: .seconds(20), devices: reports)
                == (heldBack == 0
                    ? .ready : .waiting([.init(device: .sample(1), reason: .holdsBack(heldBack))])))
    }

    @Test("an entry that came late counts for when it came, not for its number")
    func late() {
        // 3 came first, then 1. When 3 came, it was clear that 2 was missing.
        let entries = [entry(3, device: 1, receivedAt: 10), entry(1, device: 1, receivedAt: 15)]
        let reports = [
            DeviceReport(
                device: .sample(1), lastHeardFrom: .seconds(20), queue: .init(at: .seconds(12), least: nil))
        ]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: reports) == .ready)
    }

    @Test(
        "a counter that jumps further than anybody counts holds nothing back",
        arguments: [(100_001, 100_000), (100_002, 0), (.max, 0)] as [(Int64, Int)])
    func jump(to number: Int64, heldBack: Int) {
        var far = entry(1, device: 1, receivedAt: 10)
        far.entry.deviceSequence = number
        let reports = [DeviceReport(device: .sample(1), lastHeardFrom: .seconds(10))]
        #expect(
            ReplayCompleteness(of: [far], until: .seconds(10), devices: reports)
                == (heldBack == 0 ? .ready : .waiting([.init(device: .sample(1), reason: .holdsBack(heldBack))])))
    }

    @Test("a device that has not been heard of since is missing")
    func notHeardOf() {
        let reports = [
            DeviceReport(device: .sample(1), lastHeardFrom: .seconds(19), queue: .init(at: .seconds(19), least: nil)),
            DeviceReport(device: .sample(2), lastHeardFrom: nil),
        ]
        #expect(
            ReplayCompleteness(of: [], until: .seconds(20), devices: reports)
                == .waiting([
                    .init(device: .sample(1), reason: .notHeardFromSince(.seconds(19))),
                    .init(device: .sample(2), reason: .notHeardFromSince(nil)),
                ]))
    }

    @Test("a device that can't write to the list any more holds nothing back")
    func somebodyWhoLeft() {
        let entries = [entry(1, device: 7, receivedAt: 10), entry(3, device: 7, receivedAt: 11)]
        #expect(ReplayCompleteness(of: entries, until: .seconds(20), devices: []) == .ready)
    }
}
