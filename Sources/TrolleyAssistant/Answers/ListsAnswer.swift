package import TrolleyJournal
package import TrolleyWire

/// The answer of `lists`.
package struct ListsAnswer: Sendable {
    /// A list with what there is to say of it at first sight.
    package struct Row: Sendable {
        package let id: ListID
        package let name: String?
        package let colour: String?
        /// nil: not counted.
        package let wanted: Int?
        /// nil: not counted.
        package let markedOff: Int?
        package var isCurrent = false
        package var isLocal = false
        package var isKept = false
        package var others = 0
        package var invited = 0
        package var unread = 0
        /// The owner's name, if it is somebody else.
        package var owner: String?
        package var waiting = 0
        package var receivedAt: Timestamp?
        package var place = ListPlace()

        package init(id: ListID, name: String?, colour: String?, wanted: Int?, markedOff: Int?) {
            self.id = id
            self.name = name
            self.colour = colour
            self.wanted = wanted
            self.markedOff = markedOff
        }
    }

    private let rows: [Row]

    package init(_ rows: [Row]) { self.rows = rows }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("lists", rows) { row, writer in
            writer.member("id", row.id)
            writer.member("name", row.name)
            writer.member("colour", row.colour)
            writer.member("current", row.isCurrent)
            writer.member("local", row.isLocal)
            writer.member("kept", row.isKept)
            writer.member("wanted", row.wanted)
            writer.member("markedOff", row.markedOff)
            writer.member("others", row.others)
            writer.member("invited", row.invited)
            writer.member("unread", row.unread)
            writer.member("owner", row.owner)
            writer.member("waiting", row.waiting)
            writer.member("receivedAt", row.receivedAt)
            writer.member("pinned", row.place.pinned)
            writer.member("archived", row.place.archived)
        }
    }
}
