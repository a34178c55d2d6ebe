package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Writes the whole file, list by list. Lists that leave the account meanwhile are left out.
    package func export(
        _ account: AccountResponse, _ lists: [ListID], at now: Timestamp,
        to write: (_ bytes: [UInt8]) async throws -> Void
    ) async throws {
        var export = AccountExport(of: account, lists, at: now, from: self)
        while let piece = try await export.next() { try await write(piece) }
    }

    /// Creates lists of the account that show what the lists of a file showed. Repeating the import creates nothing
    /// twice and leaves alone anything that was changed since.
    package func importLists(
        _ document: ImportDocument, for account: AccountID, limits: Limits
    ) async throws(StoreError) -> [ImportedList] {
        guard !document.lists.isEmpty else { return [] }
        // Entries name a device. This device is signed out from the start: nobody has its token.
        let device = try await createDevice(
            account: account, name: "import", tokenHash: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
        try await signOut(device: device.id, account: account)
        let session = Session(account: account, device: device.id)
        var imported: [ImportedList] = []
        for list in document.lists { imported.append(try await importList(list, by: session, limits: limits)) }
        return imported
    }

    private func importList(
        _ source: ImportDocument.List, by session: Session, limits: Limits
    ) async throws(StoreError) -> ImportedList {
        let copy = try await place(source, for: session.account)
        var result = ImportedList(source: source.id, list: copy.list, name: source.state.name)
        for request in copy.uploads(limit: limits.entriesPerRequest) {
            let body: UploadBody
            do throws(WireError) {
                body = try UploadBody(json: request.json, limits: limits)
            } catch {
                throw .database(PostgresError(.misuse, "an import's entries can't be read back: \(error)"))
            }
            result.count(try await append(body, to: copy.list, by: session, ageCap: limits.ageCap).results)
        }
        return result
    }

    /// Creates the list of a copy. Uses another id if the id belongs to somebody else, or to a copy that was deleted.
    private func place(_ source: ImportDocument.List, for account: AccountID) async throws(StoreError) -> ListCopy {
        var attempt = 0
        while true {
            let copy = ListCopy(of: source, for: account, attempt: attempt)
            do {
                _ = try await createList(copy.list, owner: account)
                return copy
            } catch {
                switch error {
                case .listIDTaken, .gone: attempt += 1
                default: throw error
                }
            }
        }
    }
}
