/// Whether a replay up to a moment contains every change that was made before it.
public enum ReplayCompleteness: Hashable, Sendable {
    /// No change from before that moment can still arrive.
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

        /// Whether the device may have entries that were made by then and have not arrived.
        package func mayHoldBack(until end: Timestamp) -> Bool {
            switch reason {
            case .holdsBack: true
            case .notHeardFromSince(let time): time.map { $0 < end } ?? true
            }
        }
    }

    public enum Reason: Hashable, Sendable {
        /// Its counter shows that this many entries are still to come.
        case holdsBack(Int)
        /// It was last heard of at this time (nil: never), which is before the moment of the replay.
        case notHeardFromSince(Timestamp?)
    }
}

/// The server's knowledge of a device that has a list.
public struct DeviceReport: Hashable, Sendable {
    /// A device's report on a list's upload queue.
    public struct Queue: Hashable, Sendable {
        /// When the device sent the report.
        public var at: Timestamp
        /// The smallest `deviceSequence` that waited; nil: none did.
        public var least: Int64?

        public init(at: Timestamp, least: Int64?) {
            self.at = at
            self.least = least
        }
    }

    public var device: DeviceID
    /// When the device last synced.
    public var lastHeardFrom: Timestamp?
    /// nil: the device never reported.
    public var queue: Queue?
    /// Whether the list may have reached the device.
    public var mayHaveList: Bool

    public init(device: DeviceID, lastHeardFrom: Timestamp?, queue: Queue? = nil, mayHaveList: Bool = true) {
        self.device = device
        self.lastHeardFrom = lastHeardFrom
        self.queue = queue
        self.mayHaveList = mayHaveList
    }
}

extension ReplayCompleteness {
    /// - Parameters:
    ///   - entries: the Activity.
    ///   - moment: the end of the replay.
    ///   - devices: the devices that may write to the list. Other devices, for instance of somebody who has left, or
    ///     signed-out ones, can send nothing more.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, until moment: Timestamp,
        devices: some Swift.Sequence<DeviceReport>
    ) {
        var counters = Counters()
        for entry in entries { counters.note(entry) }
        self = counters.completeness(until: moment, devices: devices)
    }

    /// The counters of devices in an Activity, collected entry by entry.
    public struct Counters: Sendable {
        private var counters: [DeviceID: Counter] = [:]

        public init() {}

        public mutating func note(_ entry: ConfirmedEntry) { counters[entry.device, default: Counter()].note(entry) }

        /// Whether every change has arrived. The parameters are those of `ReplayCompleteness.init`.
        public func completeness(
            until moment: Timestamp, devices: some Swift.Sequence<DeviceReport>
        ) -> ReplayCompleteness {
            ReplayCompleteness(counters, until: moment, devices: devices)
        }
    }

    private init(
        _ counters: [DeviceID: Counter], until moment: Timestamp, devices: some Swift.Sequence<DeviceReport>
    ) {
        var reports: [DeviceID: DeviceReport] = [:]
        for report in devices { reports[report.device] = report }

        let missing = reports.values.sorted { $0.device < $1.device }.compactMap { report -> MissingDevice? in
            let device = report.device
            // A device that never had the list has nothing to send.
            guard report.mayHaveList || counters[device] != nil else { return nil }
            let heldBack = (counters[device] ?? Counter()).heldBack(report)
            if heldBack > 0 { return MissingDevice(device: device, reason: .holdsBack(heldBack)) }
            let lastHeardFrom = Timestamp.latest(report.lastHeardFrom, counters[device]?.lastReceived)
            if let lastHeardFrom, lastHeardFrom >= moment { return nil }
            return MissingDevice(device: device, reason: .notHeardFromSince(lastHeardFrom))
        }
        self = missing.isEmpty ? .ready : .waiting(missing)
    }

    /// The largest gap in a device's numbers that still counts as entries to come.
    public static let maxCountedGap: Int64 = 100_000

    /// A device's own counter for this list: 1, 2, 3 …
    fileprivate struct Counter: Sendable {
        /// When each number was received.
        private var received: [Int64: Timestamp] = [:]
        private(set) var lastReceived: Timestamp?

        mutating func note(_ entry: ConfirmedEntry) {
            lastReceived = .latest(lastReceived, entry.receivedAt)
            let number = entry.entry.deviceSequence
            guard number > 0 else { return }
            received[number] = min(received[number] ?? entry.receivedAt, entry.receivedAt)
        }

        /// The number of entries that are still to come, as far as the numbers and the device's report show.
        ///
        /// Devices send in the order of their numbers. So a missing number below a present one was rejected, unless a
        /// restored service has lost the entry and the device is about to offer it again. The device settles this: by
        /// its report, if it sends reports, otherwise by any request after the entry above the gap was received.
        func heldBack(_ report: DeviceReport) -> Int {
            let queue = report.queue
            var count: Int64 = 0
            var above: (number: Int64, since: Timestamp)?
            for number in received.keys.sorted(by: >) + [0] {
                if let above {
                    var gap = number + 1..<above.number
                    if let queue {
                        if queue.at >= above.since { gap = gap.clamped(to: (queue.least ?? .max)..<Int64.max) }
                    } else if let lastHeardFrom = report.lastHeardFrom, lastHeardFrom > above.since {
                        gap = gap.lowerBound..<gap.lowerBound
                    }
                    // A counter that jumps further has not counted entries.
                    if gap.upperBound - gap.lowerBound <= ReplayCompleteness.maxCountedGap {
                        count += gap.upperBound - gap.lowerBound
                    }
                }
                guard let time = received[number] else { continue }
                above = (number, min(above?.since ?? time, time))
            }
            if let least = queue?.least, received[least] == nil { count = max(count, 1) }
            return Int(clamping: count)
        }
    }
}
