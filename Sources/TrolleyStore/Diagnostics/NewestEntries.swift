import TrolleyJournal
import TrolleyWire

/// The entries of a dump: of one list after the other the newest, as far as the dump has room.
struct NewestEntries {
    let withContent: Bool
    /// What the entries take in memory.
    private let holding: ReadHolding
    private var entriesLeft: Int
    private var bytesLeft: Int
    /// Of the list that is being read, the newest last. What stands before `first` is no longer wanted.
    private var entries: [DumpedEntry] = []
    private var sizes: [Int] = []
    private var first = 0
    private var bytes = 0

    /// What an entry takes beside what was written in it.
    private static let bytesOfEntry = 512

    /// - Parameters:
    ///   - entries: how many there are in all lists, at the most.
    ///   - bytes: how many bytes of fields there are in all lists, at the most. Without content there are none.
    init(entries: Int, bytes: Int, withContent: Bool, _ holding: ReadHolding) {
        self.withContent = withContent
        self.holding = holding
        entriesLeft = entries
        bytesLeft = bytes
    }

    /// Adds the next entry of the list, and lets go of the oldest ones that there is no room for.
    /// - Parameter size: bytes of the entry's fields.
    /// - Throws: `.overloaded`, `.tooLong`: the account has no memory left for it.
    mutating func append(_ entry: ConfirmedEntry, _ size: Int) throws(StoreError) {
        let size = withContent ? size : 0
        try holding.hold(Self.bytesOfEntry + size)
        entries.append(DumpedEntry(entry, withContent: withContent))
        sizes.append(size)
        bytes += size
        while entries.count - first > entriesLeft || bytes > bytesLeft {
            bytes -= sizes[first]
            holding.shrink(to: holding.count - Self.bytesOfEntry - sizes[first])
            first += 1
        }
        // Moving the rest costs no more than what was added since it was moved last.
        if first > entries.count / 2 { forgetOld() }
    }

    /// The list's entries, oldest first. The next entry is another list's.
    mutating func takeList() -> [DumpedEntry] {
        forgetOld()
        entriesLeft -= entries.count
        bytesLeft -= bytes
        defer { (entries, sizes, bytes) = ([], [], 0) }
        return entries
    }

    private mutating func forgetOld() {
        entries.removeFirst(first)
        sizes.removeFirst(first)
        first = 0
    }
}
