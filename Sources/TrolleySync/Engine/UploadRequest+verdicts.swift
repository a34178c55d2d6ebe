package import TrolleyJournal
package import TrolleyWire

// Builds upload requests from a queue, and reads the verdicts in their responses.

extension UploadRequest {
    /// The longest prefix of the entries that fits into a body of `bytes`; at least one entry.
    /// - Returns: the request, the size of its body in bytes, and the age in milliseconds of its youngest entry that is
    ///   not offered again; nil: it has none.
    package static func batch(_ queued: [QueuedEntry], at now: DeviceTime, bytes: Int) -> (
        request: UploadRequest, bytes: Int, youngestOwn: Int64?
    ) {
        var request = UploadRequest(entries: [])
        var size = request.json.count
        var youngest: Int64?
        for queued in queued {
            let entry = UploadEntry(entry: queued.entry, age: queued.made.age(at: now), origin: queued.origin)
            var writer = JSONWriter(capacity: 512)
            entry.write(to: &writer)
            let more = writer.bytes.count + (request.entries.isEmpty ? 0 : 1)
            if size + more > bytes, !request.entries.isEmpty { break }
            if !queued.isOffered { youngest = min(youngest ?? .max, entry.age) }
            request.entries.append(entry)
            size += more
        }
        return (request, size, youngest)
    }

    /// The response's verdict on each entry, see `UploadResponse.verdicts(on:dispensable:)`.
    func verdicts(in response: UploadResponse, dispensable: Set<EntryID> = []) -> [UploadVerdict] {
        response.verdicts(on: entries.map { $0.entry.id }, dispensable: dispensable)
    }
}

extension UploadResponse {
    /// The verdict on each entry that was sent. An entry that is not in the response, or whose rejection is temporary,
    /// has none.
    /// - Parameter dispensable: see ``QueuedEntry/isDispensable``.
    package func verdicts(on entries: [EntryID], dispensable: Set<EntryID> = []) -> [UploadVerdict] {
        let asked = Set(entries)
        return results.compactMap { result in
            guard let id = result.id, asked.contains(id) else { return nil }
            switch (result.status, result.sequence) {
            case (.applied, let sequence?), (.duplicate, let sequence?):
                return UploadVerdict(entry: id, outcome: .accepted(sequence))
            case (.rejected, _):
                let code = result.code ?? .internalError
                if code == .serverRecordChanged || code == .unknownItem, dispensable.contains(id) {
                    return UploadVerdict(entry: id, outcome: .known)
                }
                if code.isTransient || code == .batchRequestFailed || code == .internalError { return nil }
                return UploadVerdict(entry: id, outcome: .rejected(code, result.detail))
            default: return nil
            }
        }
    }
}

extension UploadResponse {
    /// The latest `madeAt` in it.
    package var latest: Timestamp? { results.reduce(nil) { .latest($0, $1.madeAt) } }
}

extension Problem {
    /// The error for an answer that can't be used, because its entries would give another list here than at the
    /// service; nil: it can be used.
    /// - Parameter version: the protocol version of the answer.
    package init?(incompatible version: Int) {
        if ProtocolVersion.isCompatible(version) { return nil }
        self.init(
            .incompatibleVersion,
            String(
                joining: "the service folds lists by protocol version ", String(version), ", this program by ",
                String(ProtocolVersion.current)))
    }
}
