public import TrolleyJournal
public import TrolleyWire

/// What becomes of a list's upload queue after the service's verdicts. A store carries it out in one transaction.
public struct Settlement: Hashable, Sendable {
    public struct Taken: Hashable, Sendable {
        public var entry: EntryID
        public var sequence: SequenceNumber
    }

    public struct Refused: Hashable, Sendable {
        public var entry: EntryID
        public var code: ProblemCode
        public var detail: String?

        public init(entry: EntryID, code: ProblemCode, detail: String?) {
            self.entry = entry
            self.code = code
            self.detail = detail
        }
    }

    /// Entries that are shown as the device's own until a fetch has passed their sequences.
    public private(set) var taken: [Taken] = []
    /// Entries that are no longer the device's to send: a fetch has passed them, or the journal has its own version.
    /// They are kept for ``reofferWindow``, for a restored service.
    public private(set) var retired: [EntryID] = []
    /// Entries that join the rejected ones. They have no effect any more, so they can't be undone.
    public private(set) var refused: [Refused] = []

    /// - Parameter through: the store has all changes up to this sequence.
    public init(_ verdicts: [UploadVerdict], through: SequenceNumber) {
        for verdict in verdicts {
            switch verdict.outcome {
            case .accepted(let sequence) where sequence > through:
                taken.append(Taken(entry: verdict.entry, sequence: sequence))
            case .accepted, .known: retired.append(verdict.entry)
            case .rejected(let code, let detail):
                refused.append(Refused(entry: verdict.entry, code: code, detail: detail))
            }
        }
    }
}

extension UploadVerdict {
    /// The verdict on an entry that the service refused together with others. Another person's entry, which was offered
    /// again, is no loss on this device.
    package init(refused entry: EntryID, isOwn: Bool, _ code: ProblemCode, _ detail: String?) {
        self.init(entry: entry, outcome: isOwn ? .rejected(code, detail) : .known)
    }
}
