import TrolleySync

extension Device {
    /// Switches the learned order for all lists of this device; it is on at first. While it is on, shopping mode shows
    /// the rows in the order in which items were marked off on past trips of the list. The order is that of the moment when
    /// shopping mode was switched on, so that no row moves meanwhile.
    ///
    /// ```swift
    /// try await device.setUsesLearnedOrder(false)
    /// ```
    /// - Throws: `.store`.
    public func setUsesLearnedOrder(_ isUsed: Bool) async throws(DeviceError) {
        try await write { try $0.setUsesLearnedOrder(isUsed) }
    }

    /// Whether the learned order is on.
    ///
    /// ```swift
    /// print(try await device.usesLearnedOrder())
    /// ```
    /// - Throws: `.store`.
    public func usesLearnedOrder() async throws(DeviceError) -> Bool {
        try await read { try $0.usesLearnedOrder() }
    }
}
