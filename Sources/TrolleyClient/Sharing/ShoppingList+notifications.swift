import TrolleySync
public import TrolleyWire

// What the person wants to be told. The service keeps it.

extension ShoppingList {
    /// What the person wants to be told of a list.
    ///
    /// ```swift
    /// print(try await list.notificationLevel())
    /// ```
    public func notificationLevel() async throws(DeviceError) -> NotificationLevel {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.notificationLevel(of: id)
        }
    }

    /// Sets what the person wants to be told of a list, on all devices of the account. After
    /// `NotificationLevel.nothing` there are summaries of later changes only.
    ///
    /// ```swift
    /// try await list.setNotificationLevel(.all)
    /// ```
    public func setNotificationLevel(_ level: NotificationLevel) async throws(DeviceError) {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.setNotificationLevel(level, of: id)
        }
    }
}
