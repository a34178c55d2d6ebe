public import TrolleyJournal

/// `GET /v1/lists/{id}/replay?through=N`: a past state of the list.
public struct ReplayResponse: Hashable, Sendable {
    public var state: StateResponse
    /// The sequence of the list's newest change.
    public var head: SequenceNumber
    /// Whether devices may still have changes from before that moment.
    public var completeness: ReplayCompleteness
    /// The operator's retention has dropped entries that were received before this time and compressed away since, so
    /// the state may lack them. nil when everything is known.
    public var retainedFrom: Timestamp?

    public init(
        state: StateResponse, head: SequenceNumber, completeness: ReplayCompleteness, retainedFrom: Timestamp? = nil
    ) {
        self.state = state
        self.head = head
        self.completeness = completeness
        self.retainedFrom = retainedFrom
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 512 + 160 * state.state.items.count)
        writer.object { writer in
            state.writeMembers(to: &writer)
            replayContext.write(to: &writer)
        }
        return writer.bytes
    }

    private var replayContext: ReplayContext {
        ReplayContext(head: head, completeness: completeness, retainedFrom: retainedFrom)
    }
}

/// The members of a replay besides the state.
public struct ReplayContext: Hashable, Sendable {
    public var head: SequenceNumber
    public var completeness: ReplayCompleteness
    public var retainedFrom: Timestamp?

    public init(head: SequenceNumber, completeness: ReplayCompleteness, retainedFrom: Timestamp?) {
        self.head = head
        self.completeness = completeness
        self.retainedFrom = retainedFrom
    }

    /// Writes the members into an open object.
    public func write(to writer: inout JSONWriter) {
        writer.member("head", head)
        writer.member("retainedFrom", ifAny: retainedFrom)
        switch completeness {
        case .ready:
            writer.member("status", "ready")
        case .waiting(let devices):
            writer.member("status", "waiting")
            writer.member("waitingFor", devices)
        }
    }
}

extension EntryDraft {
    /// Writes the draft as an entry of an upload, without what the device adds: id, batch, `deviceSequence` and age.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.operation(operation, named: operation.rawValue, item: item, after: after, fields: fields) }
    }
}

extension ReplayCompleteness.MissingDevice: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("device", device)
            switch reason {
            case .holdsBack(let count):
                writer.member("holdsBack", count)
            case .notHeardFromSince(let time):
                writer.member("notHeardOfSince", time)
            }
        }
    }
}
