/// The next step of an undo or redo on a list.
public struct UndoStep: Hashable, Sendable {
    /// The gesture that is undone or redone.
    public var gesture: [JournalEntry]
    /// The entries that do it; all of one batch, in this order. Empty when other people have decided everything in it
    /// since: then the step is complete once the person was told.
    public var drafts: [EntryDraft]
    /// Parts that stay as they are, because other people have decided them since.
    public var skipped: [Skipped]

    /// A part of a step that is left alone.
    public struct Skipped: Hashable, Sendable {
        /// The entry of the gesture that decided the part.
        public var entry: JournalEntry
        public var subject: Subject
        /// The entry that decided it since; nil when compression has discarded that entry.
        public var by: EntryID?

        public init(entry: JournalEntry, subject: Subject, by: EntryID?) {
            self.entry = entry
            self.subject = subject
            self.by = by
        }
    }

    /// The property of a list or item.
    public enum Subject: Hashable, Sendable {
        case name, colour, markedOff, deleted, place
        /// The order of the list's aisles, in all shops or in one, and the shops.
        case aisles
        case field(String)

        init(_ register: PriorDecision.Register, of entry: JournalEntry) {
            self =
                switch register {
                case .name: .name
                case .colour: .colour
                case .field where entry.operation.concernsList: .aisles
                case .field(let key): .field(key)
                case .markedOff: .markedOff
                case .deleted: .deleted
                case .place: .place
                }
        }
    }
}

extension UndoLog {
    /// The next step of an undo; nil when there is nothing to undo. Gestures that changed nothing are no steps.
    /// - Parameter isBrief: only the gesture is asked for: its plan ends with the first part that is found.
    public func nextUndo(over fold: ListFold, isBrief: Bool = false) -> UndoStep? {
        next(.undo, of: stacks().undo, over: fold, isBrief)
    }

    /// The next step of a redo; nil when there is nothing to redo.
    /// - Parameter isBrief: as for ``nextUndo(over:isBrief:)``.
    public func nextRedo(over fold: ListFold, isBrief: Bool = false) -> UndoStep? {
        next(.redo, of: stacks().redo, over: fold, isBrief)
    }

    private func next(
        _ cause: Cause, of stack: [ArraySlice<Record>], over fold: ListFold, _ isBrief: Bool
    ) -> UndoStep? {
        for gesture in stack.reversed() {
            let (drafts, skipped) = simulate(gesture, cause, over: fold, isBrief: isBrief)
            if drafts.isEmpty, skipped.isEmpty { continue }
            return UndoStep(gesture: gesture.map { $0.entry }, drafts: drafts, skipped: skipped)
        }
        return nil
    }
}
