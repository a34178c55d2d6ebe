import TrolleyJournal
import TrolleyWire

// `POST /v1/lists/{id}/entries`, as `Connection.appendSingle`, `UploadEvaluation` and `AppendPlan` do it.

extension SimulatedService {
    mutating func upload(
        _ request: UploadRequest, to id: ListID, from caller: Caller, by process: Int, at now: Timestamp
    ) throws(Problem) -> UploadResponse {
        guard var list = database.lists[id] else {
            _ = try database.list(id, for: caller); throw Problem(.listNotFound)
        }
        let reader = defect == .membershipReadBefore ? processes[process].lagging?.lists[id] ?? list : list
        if defect != .uploadWithoutMembership, reader.members[caller.account] == nil {
            _ = try database.list(id, for: caller)
        }
        if defect != .readOnlyWrites, reader.members[caller.account] == .readOnly { throw Problem(.permissionFailure) }
        var request = request
        let limits = processes[process].limits
        var answeredBesides: [UploadEntry] = []
        if defect == .excessAnsweredAsTaken, request.entries.count > limits.entriesPerRequest {
            answeredBesides = Array(request.entries.dropFirst(limits.entriesPerRequest))
            request.entries.removeLast(answeredBesides.count)
        }
        if defect == .limitsRefuseEntries, request.entries.count > limits.entriesPerRequest {
            let results = request.entries.map { UploadResult.rejected($0.entry.id, .limitExceeded, "too many") }
            return UploadResponse(results: results, token: token(list, at: list.head, by: process))
        }
        if limits.bytesPerRequest < Limits().bytesPerRequest, request.json.count > limits.bytesPerRequest {
            throw Problem(.limitExceeded, limits: processes[process].tellsLimits ? limits : nil)
        }
        let body: UploadBody
        do { body = try UploadBody(request, limits: limits) } catch {
            throw Problem(.limitExceeded, error.description, limits: processes[process].tellsLimits ? limits : nil)
        }
        var append = Append(list: list, caller: caller, now: now, limits: limits, defect: defect)
        for item in body.items { append.evaluate(item) }
        append.commit()
        list = append.list
        if defect != .answeredBeforeCommit || !request.entries.count.isMultiple(of: 3) { database.lists[id] = list }
        var response = UploadResponse(results: append.results, token: token(list, at: list.head, by: process))
        response.results += answeredBesides.map {
            .accepted($0.entry.id, at: list.head, madeAt: now, receivedAt: now, .applied)
        }
        return response
    }
}

/// An upload under the list's lock.
private struct Append {
    var list: StoredList
    let caller: Caller
    let now: Timestamp
    let limits: Limits
    let defect: Defect?
    private(set) var results: [UploadResult] = []
    private var fresh: [ConfirmedEntry] = []
    private var places: [EntryID: SequenceNumber] = [:]

    init(list: StoredList, caller: Caller, now: Timestamp, limits: Limits, defect: Defect?) {
        self.list = list
        self.caller = caller
        self.now = now
        self.limits = limits
        self.defect = defect
    }

    private func known(_ id: EntryID) -> ConfirmedEntry? {
        guard let place = list.taken[id] else { return fresh.first { $0.entry.id == id } }
        var entry = list.activity[place]
        if defect == .dedupForgottenByCompression, list.live[id] == nil { return nil }
        if defect == .dedupByDevice, entry.device != caller.device { return nil }
        // An entry that was brought back has its present place.
        if let live = list.live[id] { entry.sequence = live.sequence }
        if defect == .duplicateGetsNewestSequence { entry.sequence = list.head.advanced(by: 5) }
        return entry
    }

    mutating func evaluate(_ item: UploadBody.Item) {
        switch item {
        case .rejected(let result): results.append(result)
        case .valid(let upload):
            let id = upload.entry.id
            if let known = known(id) {
                if defect == .duplicateIsRejected {
                    results.append(.rejected(id, .invalidArguments, "it is there already"))
                } else if known.entry == upload.entry {
                    results.append(.accepted(known, .duplicate))
                } else {
                    results.append(.rejected(id, .serverRecordChanged, "other content"))
                }
                return
            }
            var origin = upload.origin
            if let given = origin {
                let receipt = EntryReceipt.simulated(
                    of: upload.entry, by: given.author, on: given.device, at: given.madeAt, in: list.id)
                if receipt == nil || receipt != given.receipt || defect == .receiptIgnored { origin = nil }
            }
            let age = defect == .ageIgnored ? 0 : min(max(0, upload.age), limits.ageCap)
            fresh.append(
                ConfirmedEntry(
                    entry: upload.entry, sequence: list.head, author: origin?.author ?? caller.account,
                    device: origin?.device ?? caller.device,
                    madeAt: origin.map { min($0.madeAt, now) } ?? now.advanced(byMilliseconds: -age), receivedAt: now))
            results.append(.accepted(id, at: .start, madeAt: fresh[fresh.count - 1].madeAt, receivedAt: now, .applied))
        }
    }

    mutating func commit() {
        var resolver = isResolving ? resolver() : nil
        for (index, entry) in fresh.enumerated() {
            let isRepeated = defect == .sequenceUsedTwice && index == 1
            if !isRepeated { list.head = list.head.advanced(by: defect == .sequenceSkipped && index == 1 ? 2 : 1) }
            var (sent, live) = (entry, entry)
            (sent.sequence, live.sequence) = (list.head, list.head)
            if let resolution = resolver?.resolve(sent) {
                follow(resolution)
                (sent.sequence, live.sequence) = (list.head, list.head)
                live.entry.after = resolution.entry.entry.after
            }
            list.taken[entry.entry.id] = list.activity.count
            list.activity.append(sent)
            list.live[entry.entry.id] = live
            places[entry.entry.id] = list.head
        }
        for index in results.indices where results[index].status == .applied {
            results[index].sequence = results[index].id.flatMap { places[$0] }
        }
    }

    /// Makes room for what brings an item back. The list's head is the entry's own sequence; it moves behind these.
    private mutating func follow(_ resolution: AppendResolver.Resolution) {
        guard !resolution.relocated.isEmpty || !resolution.restored.isEmpty else { return }
        list.head = list.head.advanced(by: -1)
        if !resolution.relocated.isEmpty {
            list.append(.discard(ids: resolution.relocated, anchors: [:]))
            for id in resolution.relocated { list.live[id] = nil }
        }
        if defect != .restoredEntriesNotSent {
            for var entry in resolution.restored {
                list.head = list.head.advanced(by: 1)
                entry.sequence = list.head
                list.live[entry.entry.id] = entry
            }
        }
        list.head = list.head.advanced(by: 1)
    }

    private var isResolving: Bool {
        guard defect != .appendsNotResolved, list.live.count < list.activity.count else { return false }
        let added = Set(list.live.values.lazy.filter { $0.entry.operation == .add }.compactMap(\.entry.item))
        let known = Set(list.activity.lazy.compactMap(\.entry.item))
        return fresh.contains { entry in
            AppendResolver.isNeeded(for: entry.entry) { known.contains($0) && !added.contains($0) }
        }
    }

    private func resolver() -> AppendResolver {
        AppendResolver(activity: list.activity, live: list.inOrder, resolving: fresh.map(\.entry))
    }
}
