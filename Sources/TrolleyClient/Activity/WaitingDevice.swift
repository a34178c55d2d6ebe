public import TrolleyJournal
import TrolleyWire

/// A device that may still send changes from before the moment of a replay.
public struct WaitingDevice: Hashable, Sendable {
    public var device: DeviceID
    public var reason: ReplayCompleteness.Reason
    /// The person whose device it is. nil: unknown, by a service of an earlier version.
    public var account: AccountID?
    /// The person's name for the device; nil as for ``account``.
    public var name: String?
    /// When the service last heard of the device; nil as for ``account``.
    public var lastSeenAt: Timestamp?

    /// Whether the device may have changes that were made by then and have not arrived.
    func mayHoldBack(until end: Timestamp) -> Bool {
        ReplayCompleteness.MissingDevice(device: device, reason: reason).mayHoldBack(until: end)
    }
}

extension WaitingDevice {
    /// Reads a member of `waitingFor`.
    init(from reader: inout JSONReader) throws(WireError) {
        var device: DeviceID?
        var reason = ReplayCompleteness.Reason.notHeardFromSince(nil)
        var (account, name, lastSeenAt): (AccountID?, String?, Timestamp?) = (nil, nil, nil)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "device": device = try reader.identifier()
            case "account": account = try reader.identifier()
            case "deviceName": name = try reader.string()
            case "lastSeenAt": lastSeenAt = try reader.timestamp()
            case "holdsBack": reason = .holdsBack(Int(clamping: try reader.integer()))
            case "notHeardOfSince": reason = .notHeardFromSince(try reader.null() ? nil : try reader.timestamp())
            default: try reader.skip()
            }
        }
        guard let device else { throw .invalid("device is missing") }
        self.init(device: device, reason: reason, account: account, name: name, lastSeenAt: lastSeenAt)
    }
}
