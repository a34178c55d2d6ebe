import TrolleyJournal
import TrolleySync
public import TrolleyWire

// Export and import. Both need the service.

extension DeviceAccount {
    /// All data of the account, as the JSON file that ``importLists(_:)`` reads.
    ///
    /// ```swift
    /// let file = try await device.account.export()
    /// print(file.count)
    /// ```
    public func export() async throws(DeviceError) -> [UInt8] {
        try await device.call { (transport) async throws(TransportError) in
            try await transport.export()
        }
    }

    /// Creates lists of the account that show what the lists of a file showed. Repeating the import creates nothing
    /// twice and leaves alone anything that was changed since. The next sync fetches the lists.
    ///
    /// ```swift
    /// let file = try await device.account.export()
    /// for list in try await device.account.importLists(ImportDocument(json: file)) { print(list.added, list.present) }
    /// ```
    public func importLists(_ document: ImportDocument) async throws(DeviceError) -> [ImportedList] {
        guard let session = try await device.session() else { throw .notSignedIn }
        let transport = device.transport(of: session)
        let limits = try await device.withTransportErrors { () async throws(TransportError) in
            try await transport.config()
        }
        .limits
        var imported: [ImportedList] = []
        for source in document.lists {
            let copy = try await place(source, for: session, transport)
            var result = ImportedList(source: source.id, list: copy.list, name: source.state.name)
            for request in copy.uploads(limit: limits.entriesPerRequest) {
                let response = try await device.withTransportErrors { () async throws(TransportError) in
                    try await transport.upload(request, to: copy.list)
                }
                result.count(response.results)
            }
            // This device continues the numbering after the copy's entries.
            let last = Int64(copy.entries.count)
            if result.added > 0 {
                try await device.withStoreErrors { () async throws(QueueStoreError) in
                    try await device.store.during(session).raiseCounter(to: last, of: copy.list)
                }
            }
            imported.append(result)
        }
        return imported
    }

    /// Creates the list of a copy. Uses another id if the id belongs to somebody else, or to a copy that was deleted.
    private func place(
        _ source: ImportDocument.List, for session: AccountSession, _ transport: HTTPTransport
    ) async throws(DeviceError) -> ListCopy {
        var attempt = 0
        while true {
            let copy = ListCopy(of: source, for: session.account, attempt: attempt)
            do {
                _ = try await transport.createList(CreateListRequest(id: copy.list))
                return copy
            } catch {
                guard case .problem(let problem) = error, [.listDeleted, .serverRecordChanged].contains(problem.code)
                else { throw .transport(error) }
                attempt += 1
            }
        }
    }
}

extension SQLiteStore {
    /// Makes sure that this device's next entry on a list gets a number above `last`.
    fileprivate func raiseCounter(to last: Int64, of list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            let device = try transaction.device()
            let known = try transaction.counter(of: list, device: device)
            if known < last { try transaction.setCounter(last, of: list, device: device) }
        }
    }
}
