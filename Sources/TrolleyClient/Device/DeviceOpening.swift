package import TrolleyJournal
package import TrolleySync

/// What a program reads before its first change, of one moment.
package struct DeviceOpening: Sendable {
    /// The lists that have left the device.
    package var notices: [Notice]
    /// The list that commands without a list's name refer to.
    package var current: ListID?
    /// The names of all lists, in the order of ``Device/lists()``; empty unless they were asked for.
    package var names: [(id: ListID, name: String?)]
}

extension Device {
    /// Reads in one transaction what a program needs before a change.
    /// - Parameter naming: whether to read the lists' names.
    package func opening(naming: Bool) async throws(DeviceError) -> DeviceOpening {
        try await read { transaction in
            DeviceOpening(
                notices: try transaction.notices(), current: try transaction.currentList(),
                names: naming ? try transaction.listNames() : [])
        }
    }
}

extension StoreTransaction {
    func listNames() throws -> [(id: ListID, name: String?)] {
        try listsInOrder().map { (id: $0.id, name: try name(of: $0)) }
    }
}
