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
    ///   - devices: what is known of the devices that may write to the list. Any other, for instance one of somebody who has
    ///     left, or one that was signed out, can send nothing more.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, until moment: Timestamp,
        devices: some Swift.Sequence<DeviceReport>
    ) {
        var counters = Counters()
        for entry in entries { counters.note(entry) }
        self = counters.completeness(until: moment, devices: devices)
    }

    /// What the entries of an Activity say of the devices that made them, collected entry by entry.
    public struct Counters: Sendable {
        private var counters: [DeviceID: Counter] = [:]

        public init() {}

        public mutating func note(_ entry: ConfirmedEntry) { counters[entry.device, default: Counter()].note(entry) }

        /// Whether all is there. The parameters are those of `ReplayCompleteness.init`.
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
            let heldBack = (counters[device] ?? Counter()).heldBack(report)
            if heldBack > 0 { return MissingDevice(device: device, reason: .holdsBack(heldBack)) }
            let heardOf = Timestamp.latest(report.heardOf, counters[device]?.lastReceived)
            if let heardOf, heardOf >= moment { return nil }
            return MissingDevice(device: device, reason: .notHeardOfSince(heardOf))
        }
        self = missing.isEmpty ? .ready : .waiting(missing)
    }

    /// Numbers that may be missing in a row and still count as entries to come.
    public static let widestGap: Int64 = 100_000

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

        /// The number of entries that are still to come, as far as the numbers and the device's own word show.
        ///
        /// Devices send in the order of their numbers. So a number that is missing below one that is here was refused, unless a
        /// service that was restored has lost the entry and the device is about to offer it again. The device settles that: by
        /// its report, if it sends reports, otherwise by any request after the entry above the gap came.
        func heldBack(_ report: DeviceReport) -> Int {
            let queue = report.queue
            var count: Int64 = 0
            var above: (number: Int64, since: Timestamp)?
            for number in received.keys.sorted(by: >) + [0] {
                if let above {
                    var gap = number + 1..<above.number
                    if let queue {
                        if queue.at >= above.since { gap = gap.clamped(to: (queue.least ?? .max)..<Int64.max) }
                    } else if let heardOf = report.heardOf, heardOf > above.since {
                        gap = gap.lowerBound..<gap.lowerBound
                    }
                    // A counter that jumps further has not counted entries.
                    if gap.upperBound - gap.lowerBound <= ReplayCompleteness.widestGap {
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
