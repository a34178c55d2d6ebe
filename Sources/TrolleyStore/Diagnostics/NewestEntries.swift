import TrolleyJournal
import TrolleyWire

/// The entries of a dump: the newest of each list, as long as the dump has room. Lists are read one after the other.
struct NewestEntries {
    let withContent: Bool
    /// The memory that the entries take.
    private let reservation: ReadReservation
    private var entriesLeft: Int
    private var bytesLeft: Int
    /// The entries of the list that is being read, the newest last. Entries before `first` are no longer wanted.
    private var entries: [DumpedEntry] = []
    private var sizes: [Int] = []
    private var first = 0
    private var bytes = 0

    /// The bytes that an entry takes besides its fields.
    private static let bytesOfEntry = 512

    /// - Parameters:
    ///   - entries: the largest number of entries of all lists together.
    ///   - bytes: the largest number of bytes of fields of all lists together. Without content there are none.
    init(entries: Int, bytes: Int, withContent: Bool, _ reservation: ReadReservation) {
        self.withContent = withContent
        self.reservation = reservation
        entriesLeft = entries
        bytesLeft = bytes
    }

    /// Adds the list's next entry and drops the oldest ones that no longer fit.
    /// - Parameter size: bytes of the entry's fields.
    /// - Throws: `.overloaded`, `.tooLong`, when the account may use no more memory.
    mutating func append(_ entry: ConfirmedEntry, _ size: Int) throws(StoreError) {
        let size = withContent ? size : 0
        try reservation.reserve(Self.bytesOfEntry + size)
        entries.append(DumpedEntry(entry, withContent: withContent))
        sizes.append(size)
        bytes += size
        while entries.count - first > entriesLeft || bytes > bytesLeft {
            bytes -= sizes[first]
            reservation.shrink(to: reservation.count - Self.bytesOfEntry - sizes[first])
            first += 1
        }
        // Moving the rest costs no more than the additions since the last move.
        if first > entries.count / 2 { forgetOld() }
    }

    /// Removes and returns the list's entries, oldest first. Entries that follow belong to another list.
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
