package import TrolleyJournal
import TrolleyWire

/// A list's fold from one snapshot, and the memory that it takes.
package struct FoldedJournal: Sendable {
    package let list: ListID
    package let sequence: SequenceNumber
    package let epoch: UUIDBits
    package let fold: ListFold
    /// The number of folded entries.
    package let entries: Int
    /// Released together with the fold.
    let reservation: ReadReservation

    var outline: StateOutline {
        StateOutline(
            id: list, sequence: sequence, digest: fold.digest.description, name: fold.name, colour: fold.colour,
            aisles: fold.aisles, shops: fold.shops)
    }

    var response: StateResponse {
        let state = fold.state
        return StateResponse(id: list, state: state, sequence: sequence, digest: state.digest.description)
    }

    /// The JSON of ``StateResponse``, in pieces.
    package var pieces: StatePieces { StatePieces(self) }
}

/// A folded list as JSON, in pieces that are made when the caller asks for them. Between calls, only the fold is in
/// memory.
package struct StatePieces: Sendable {
    /// The smallest size of a piece, except the last one.
    static let size = 64 << 10

    private let outline: StateOutline
    private let rest: ReplayContext?
    private let plan: [EntryDraft]?
    private let sharing: ExportedSharing?
    private let reservation: ReadReservation
    private var items: ShownItems
    private var writer = JSONWriter(capacity: size + (8 << 10))
    private var stage = Stage.beginning

    private enum Stage {
        case beginning, items, done
    }

    /// - Parameters:
    ///   - rest: the replay's other members.
    ///   - plan: the drafts that restore the state.
    ///   - sharing: the export's other members; then the journal's entries follow.
    init(
        _ folded: FoldedJournal, rest: ReplayContext? = nil, plan: [EntryDraft]? = nil,
        sharing: ExportedSharing? = nil
    ) {
        outline = folded.outline
        items = folded.fold.items
        reservation = folded.reservation
        self.rest = rest
        self.plan = plan
        self.sharing = sharing
    }

    /// The next piece; nil at the end.
    package mutating func next() -> [UInt8]? {
        if stage == .beginning {
            outline.writeBeginning(to: &writer)
            stage = .items
        }
        guard stage == .items else { return nil }
        while writer.bytes.count < Self.size {
            guard let item = items.next() else {
                end()
                break
            }
            item.write(to: &writer)
        }
        return writer.take()
    }

    private mutating func end() {
        stage = .done
        outline.writeEndOfItems(to: &writer)
        rest?.write(to: &writer)
        if let plan {
            writer.key("entries")
            writer.array { writer in
                for draft in plan { draft.write(to: &writer) }
            }
        }
        if let sharing { sharing.writeBeforeJournal(to: &writer) } else { outline.writeEnd(to: &writer) }
    }
}
