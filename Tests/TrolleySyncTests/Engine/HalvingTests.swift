import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleySync

/// Requests that are too large: cut in advance if the limits are known, otherwise halved.
///
/// Every batch from 1 to 1,000 entries against every limit from 1 to 400 are 400,000 combinations. In a debug build every
/// 16th batch is tried with each limit; with `TROLLEY_ALL=1` all are.
@Suite(.timeLimit(.minutes(20))) struct HalvingTests {
    let now = Timestamp(milliseconds: 1_800_000_000_000)
    let list = ListID(UUIDBits(high: 0, low: 1))

    @Test func `each entry is sent once, in order, in the fewest requests that halving allows`() {
        let step = ProcessInfo.processInfo.environment["TROLLEY_ALL"] == nil ? 16 : 1
        var (combinations, requests, ideal, most) = (0, 0, 0, 0)
        for limit in 1...400 {
            // Each limit starts at another entry, so that every size occurs.
            for size in stride(from: 1 + (limit - 1) % step, through: 1000, by: step) {
                let upload = send(size, limit: limit, stated: nil)
                combinations += 1
                requests += upload.requests
                ideal += (size + limit - 1) / limit
                most = max(most, upload.requests - upload.accepted.count)
                guard upload.isWhole(size), upload.requests == fewest(size, limit: limit) else {
                    Issue.record("\(size) entries against \(limit): \(upload)")
                    return
                }
            }
        }
        print(
            "halving: \(combinations) combinations, \(requests) requests, of which at most \(most) were refused for one batch; knowing the limits would take \(ideal)"
        )
    }

    @Test func `limits that are known are never tried`() {
        for limit in 1...400 {
            for size in stride(from: 1 + limit % 37, through: 1000, by: 37) {
                let upload = send(size, limit: limit, stated: limit)
                guard upload.isWhole(size), upload.requests == (size + limit - 1) / limit else {
                    Issue.record("\(size) entries against \(limit): \(upload)")
                    return
                }
            }
        }
    }

    @Test func `limits that a refusal tells of are used at once`() {
        for limit in stride(from: 1, through: 400, by: 7) {
            let upload = send(1000, limit: limit, stated: nil, tells: true)
            #expect(upload.isWhole(1000))
            #expect(upload.requests == (1000 + limit - 1) / limit + (limit < 400 ? 1 : 0), "limit \(limit)")
        }
    }

    @Test func `a body of too many bytes is cut before it is sent, in order, and never to nothing`() {
        let queued = (1...40).map { number in
            var entry = JournalEntry(
                id: EntryID(UUIDBits(high: 1, low: UInt64(number))), operation: .add,
                item: ItemID(UUIDBits(high: 2, low: UInt64(number))), deviceSequence: Int64(number))
            entry.fields[Fields.text] = .string(String(repeating: "ü", count: number * 7 % 50))
            return QueuedEntry(entry: entry, made: DeviceTime(boot: "", uptime: 0, wall: now))
        }
        let moment = DeviceTime(boot: "", uptime: 0, wall: now)
        for bytes in stride(from: 0, through: 12_000, by: 97) {
            let (request, size, _) = UploadRequest.batch(queued, at: moment, bytes: bytes)
            #expect(request.json.count == size)
            #expect(request.entries.map(\.entry) == queued.prefix(request.entries.count).map(\.entry))
            #expect(size <= bytes || request.entries.count == 1)
            guard request.entries.count < queued.count else { continue }
            let more = UploadRequest(
                entries: request.entries + [UploadEntry(entry: queued[request.entries.count].entry, age: 0)])
            #expect(more.json.count > bytes, "it takes as many as fit")
        }
    }

    @Test func `the next run starts with the learned size, and doubles it after a while`() {
        var upload = Upload()
        var retryState = RetryState()
        retryState.limits = Limits()
        run(&upload, Array(0..<400), limit: 60, retryState: &retryState, at: now)
        #expect(upload.refused == 3 && retryState.learnedEntries == 50, "400, 200 and 100 are too many")
        upload = Upload()
        run(&upload, Array(0..<400), limit: 60, retryState: &retryState, at: now)
        #expect(upload.refused == 0 && upload.requests == 8)
        upload = Upload()
        run(
            &upload, Array(0..<400), limit: 400, retryState: &retryState,
            at: now.advanced(byMilliseconds: RetryState.learnedLimitLifetime * 2))
        #expect(upload.refused == 0 && upload.requests == 2, "200 at a time by now")
        upload = Upload()
        run(
            &upload, Array(0..<400), limit: 400, retryState: &retryState,
            at: now.advanced(byMilliseconds: RetryState.learnedLimitLifetime * 3))
        #expect(upload.requests == 1, "and then all there are")
    }

    // MARK: A service that has a limit

    struct Upload {
        var accepted: [Range<Int>] = []
        var refused = 0
        var requests: Int { accepted.count + refused }

        /// Whether each entry was accepted once, in order.
        func isWhole(_ size: Int) -> Bool {
            accepted.first?.lowerBound == 0 && accepted.last?.upperBound == size
                && zip(accepted, accepted.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound }
        }
    }

    private func send(_ size: Int, limit: Int, stated: Int?, tells: Bool = false) -> Upload {
        var upload = Upload()
        var retryState = RetryState()
        retryState.limits = Limits(entriesPerRequest: stated ?? 400)
        run(&upload, Array(0..<size), limit: limit, retryState: &retryState, at: now, tells: tells)
        return upload
    }

    /// One run of the machine. Only its uploads matter.
    private func run(
        _ upload: inout Upload, _ queue: [Int], limit: Int, retryState: inout RetryState, at now: Timestamp,
        tells: Bool = false
    ) {
        var machine = SyncMachine()
        var queue = queue[...]
        var action = machine.next(after: .begun(.push), at: now, random: 0)
        while true {
            switch action {
            case .readStatus:
                let deviceStatus = DeviceStatus.List(id: list, isPublished: true, token: "t", waiting: queue.count)
                action = machine.next(
                    after: .deviceStatus(DeviceStatus(lists: [deviceStatus], retryState: retryState)), at: now,
                    random: 0)
            case .upload(_, let entries, _):
                let sent = queue.prefix(entries)
                let event: SyncMachine.Event
                if sent.count > limit {
                    upload.refused += 1
                    let problem = Problem(.limitExceeded, limits: tells ? Limits(entriesPerRequest: limit) : nil)
                    event = .uploadFailed(.problem(problem), entries: sent.count, bytes: 0)
                } else {
                    upload.accepted.append((sent.first ?? 0)..<(sent.last ?? 0) + 1)
                    queue = queue.dropFirst(sent.count)
                    event = .uploaded(sent: sent.count, rejected: 0, held: 0)
                }
                action = machine.next(after: event, at: now, random: 0)
            default:
                retryState = machine.retryState
                return
            }
        }
    }

    /// Halving doesn't know the limit. It learns it from refusals, one for each half, and then uses the largest half
    /// that isn't refused.
    private func fewest(_ size: Int, limit: Int) -> Int {
        var (batch, refused) = (min(size, 400), 0)
        while batch > limit {
            batch = (batch + 1) / 2
            refused += 1
        }
        return refused + (size + batch - 1) / batch
    }
}
