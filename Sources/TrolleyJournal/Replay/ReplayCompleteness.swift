/// Whether a replay up to a moment has everything in it that was done until then.
public enum ReplayCompleteness: Hashable, Sendable {
    /// Nothing that was made until that moment can still come.
    case ready
    /// These devices may still have entries to send.
    case waiting([MissingDevice])

    /// A device that is not known to have sent everything.
    public struct MissingDevice: Hashable, Sendable {
        public var device: DeviceID
        public var reason: Reason

        public init(device: DeviceID, reason: Reason) {
            self.device = device
            self.reason = reason
        }
    }

    public enum Reason: Hashable, Sendable {
        /// Its own counters show that this many entries are still to come.
        case holdsBack(Int)
        /// It was last heard of at this moment (nil: never), which is before the one to be replayed.
        case notHeardOfSince(Timestamp?)
    }
}

/// What the server knows of a device that has a list.
public struct DeviceReport: Hashable, Sendable {
    /// What a device said of a list's upload queue.
    public struct Queue: Hashable, Sendable {
        /// When it said so.
        public var at: Timestamp
        /// The least `deviceSequence` that waited; nil: none did.
        public var least: Int64?

        public init(at: Timestamp, least: Int64?) {
            self.at = at
            self.least = least
        }
    }

    public var device: DeviceID
    /// When the device last synced.
    public var heardOf: Timestamp?
    /// nil: it never said.
    public var queue: Queue?

    public init(device: DeviceID, heardOf: Timestamp?, queue: Queue? = nil) {
        self.device = device
        self.heardOf = heardOf
        self.queue = queue
    }
}

extension ReplayCompleteness {
    /// - Parameters:
    ///   - entries: the Activity.
    ///   - moment: up to when the replay goes.
    ///   - devices: what is known of the devices of everybody on the list. One that only appears in the entries, for
    ///     instance of somebody who has left, is judged by its counters alone.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, until moment: Timestamp,
        devices: some Swift.Sequence<DeviceReport>
    ) {
        var counters: [DeviceID: Counter] = [:]
        for entry in entries { counters[entry.device, default: Counter()].note(entry) }
        let reports = Dictionary(devices.map { ($0.device, $0) }, uniquingKeysWith: { _, last in last })

        let missing = Set(counters.keys).union(reports.keys).sorted().compactMap { device -> MissingDevice? in
            let report = reports[device]
            let heldBack = (counters[device] ?? Counter()).heldBack(saying: report?.queue)
            if heldBack > 0 { return MissingDevice(device: device, reason: .holdsBack(heldBack)) }
            guard let report else { return nil }
            let heardOf = max(report.heardOf, counters[device]?.lastReceived)
            if let heardOf, heardOf >= moment { return nil }
            return MissingDevice(device: device, reason: .notHeardOfSince(heardOf))
        }
        self = missing.isEmpty ? .ready : .waiting(missing)
    }

    /// A device's own counter for this list: 1, 2, 3 … without gaps.
    private struct Counter {
        /// When each number was received.
        private var received: [Int64: Timestamp] = [:]
        private(set) var lastReceived: Timestamp?

        mutating func note(_ entry: ConfirmedEntry) {
            lastReceived = max(lastReceived, entry.receivedAt)
            let number = entry.entry.deviceSequence
            guard number > 0 else { return }
            received[number] = min(received[number] ?? entry.receivedAt, entry.receivedAt)
        }

        /// How many entries are still to come, as far as the numbers and the device's own word show.
        ///
        /// A number that is missing below one that is here was given before. So when the device has said, after that one
        /// came, that it holds nothing back down there, the missing one was refused for good and will never come.
        func heldBack(saying queue: DeviceReport.Queue?) -> Int {
            var count: Int64 = 0
            var above: (number: Int64, since: Timestamp)?
            for number in received.keys.sorted(by: >) + [0] {
                if let above {
                    var gap = number + 1..<above.number
                    if let queue, queue.at >= above.since { gap = gap.clamped(to: (queue.least ?? .max)..<Int64.max) }
                    count += gap.upperBound - gap.lowerBound
                }
                guard let time = received[number] else { continue }
                above = (number, min(above?.since ?? time, time))
            }
            if let least = queue?.least, received[least] == nil { count = Swift.max(count, 1) }
            return Int(clamping: count)
        }
    }
}

private func max(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
    guard let left, let right else { return left ?? right }
    return Swift.max(left, right)
}
