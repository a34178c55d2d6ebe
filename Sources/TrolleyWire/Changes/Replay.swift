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
    /// The devices of the people on the list.
    public var devices: [DeviceID: KnownDevice]

    public init(
        state: StateResponse, head: SequenceNumber, completeness: ReplayCompleteness, retainedFrom: Timestamp? = nil,
        devices: [DeviceID: KnownDevice] = [:]
    ) {
        self.state = state
        self.head = head
        self.completeness = completeness
        self.retainedFrom = retainedFrom
        self.devices = devices
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
        ReplayContext(head: head, completeness: completeness, retainedFrom: retainedFrom, devices: devices)
    }
}

/// What the people on a list learn of a device that a replay waits for.
public struct KnownDevice: Hashable, Sendable {
    public var account: AccountID
    /// Its owner's name for it.
    public var name: String
    /// When it was last here.
    public var lastSeenAt: Timestamp

    public init(account: AccountID, name: String, lastSeenAt: Timestamp) {
        self.account = account
        self.name = name
        self.lastSeenAt = lastSeenAt
    }
}

/// The members of a replay besides the state.
public struct ReplayContext: Hashable, Sendable {
    public var head: SequenceNumber
    public var completeness: ReplayCompleteness
    public var retainedFrom: Timestamp?
    public var devices: [DeviceID: KnownDevice]

    public init(
        head: SequenceNumber, completeness: ReplayCompleteness, retainedFrom: Timestamp?,
        devices: [DeviceID: KnownDevice]
    ) {
        self.head = head
        self.completeness = completeness
        self.retainedFrom = retainedFrom
        self.devices = devices
    }

    /// Writes the members into an open object.
    public func write(to writer: inout JSONWriter) {
        writer.member("head", head)
        writer.member("retainedFrom", ifAny: retainedFrom)
        switch completeness {
        case .ready:
            writer.member("status", "ready")
        case .waiting(let missing):
            writer.member("status", "waiting")
            writer.member("waitingFor", missing) { missing, writer in
                writer.member("device", missing.device)
                if let known = devices[missing.device] {
                    writer.member("account", known.account)
                    writer.member("deviceName", known.name)
                    writer.member("lastSeenAt", known.lastSeenAt)
                }
                switch missing.reason {
                case .holdsBack(let count): writer.member("holdsBack", count)
                case .notHeardFromSince(let time): writer.member("notHeardOfSince", time)
                }
            }
        }
    }
}

extension EntryDraft {
    /// Writes the draft as an entry of an upload, without what the device adds: id, batch, `deviceSequence` and age.
    public func write(to writer: inout JSONWriter) {
        writer.object { $0.operation(operation, named: operation.rawValue, item: item, after: after, fields: fields) }
    }
}
