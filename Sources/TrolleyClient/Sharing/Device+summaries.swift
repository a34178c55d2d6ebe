public import TrolleyJournal
import TrolleySync
public import TrolleyWire

// Summaries of what others did, and what the person wants to be told. The service makes and keeps them.

extension Device {
    /// What others did on the account's lists in sessions that have ended, as far as the person has not read past it,
    /// newest first. Ask on each of ``triggers(every:)``: the event stream announces a new summary.
    ///
    /// All devices of the account get the same summaries; ``SessionSummary/list`` and ``SessionSummary/through``
    /// identify one. A summary is gone when the read mark has passed it (``markRead(_:offline:)``), or after two weeks.
    public func summaries() async throws(DeviceError) -> [SessionSummary] {
        let transport = try await transport()
        return try await withTransportErrors { () async throws(TransportError) in
            try await transport.summaries()
        }
    }

    /// What the person wants to be told of a list.
    public func notificationLevel(of list: ListID) async throws(DeviceError) -> NotificationLevel {
        let transport = try await transport()
        return try await withTransportErrors { () async throws(TransportError) in
            try await transport.notificationLevel(of: list)
        }
    }

    /// Sets what the person wants to be told of a list, on all devices of the account. After
    /// ``NotificationLevel/nothing`` there are summaries of later changes only.
    public func setNotificationLevel(_ level: NotificationLevel, of list: ListID) async throws(DeviceError) {
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in
            try await transport.setNotificationLevel(level, of: list)
        }
    }
}
