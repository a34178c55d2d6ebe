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
    public var device: DeviceID
    /// When the device last synced.
    public var heardOf: Timestamp?
    /// How many entries waited in its upload queue then, as it said; nil: it didn't say.
    public var waiting: Int?

    public init(device: DeviceID, heardOf: Timestamp?, waiting: Int? = nil) {
        self.device = device
        self.heardOf = heardOf
        self.waiting = waiting
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
            let heldBack = report?.waiting ?? counters[device]?.gaps ?? 0
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
        private var seen: Set<Int64> = []
        private var last: Int64 = 0
        private(set) var lastReceived: Timestamp?

        /// How many entries are missing among those that were sent later.
        var gaps: Int { Int(clamping: last) - seen.count }

        mutating func note(_ entry: ConfirmedEntry) {
            lastReceived = max(lastReceived, entry.receivedAt)
            guard entry.entry.deviceSequence > 0 else { return }
            seen.insert(entry.entry.deviceSequence)
            last = max(last, entry.entry.deviceSequence)
        }
    }
}

private func max(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
    guard let left, let right else { return left ?? right }
    return Swift.max(left, right)
}
