package import TrolleyJournal
package import TrolleyWire

/// The answer of `undo`.
package struct UndoAnswer: Sendable {
    /// A part of the change that stays, because somebody else has changed it since.
    package struct Skipped: Hashable, Sendable {
        let what: String
        /// The name of the person who changed it; nil if it isn't known.
        let author: String?

        package init(what: String, author: String?) {
            self.what = what
            self.author = author
        }
    }

    private let list: ListID
    private let entries: [JournalEntry]
    private let skipped: [Skipped]

    /// - Parameter entries: what takes the change back; none if there was nothing to take back, or if everything stays.
    package init(_ list: ListID, _ entries: [JournalEntry], skipped: [Skipped]) {
        self.list = list
        self.entries = entries
        self.skipped = skipped
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.member("list", list)
        writer.member("entries", entries)
        writer.member("skipped", skipped) { skipped, writer in
            writer.member("what", skipped.what)
            writer.member("author", skipped.author)
        }
    }
}
