/// Faults that the tests seed, one at a time, to see whether the properties would catch them. Only a build with the
/// package's trait `SeededFaults` has any.
enum Mistake: String, CaseIterable, Sendable {
    /// Compression gives no new anchors.
    case noNewAnchors
    /// Compression gives a new anchor only where the anchor's item goes.
    case anchorsOnlyForPurgedItems
    /// The last to arrive wins, not the last to be made.
    case lastArrivalWins
    /// Of changes of the same millisecond the first wins.
    case tiesAreNotBroken
    /// The last `add` or `move` to arrive places an item, not the last to be made.
    case placeIsNoRegister
    /// An entry that puts an item behind itself counts as what placed it.
    case itselfPlaces
    /// Compression keeps edits that later ones have overwritten.
    case dominatedEditsStay
    /// Compression takes a finished item although something recent is known of it.
    case recentItemsArePurged
    /// Compression discards the entry that has decided whether the item is marked off.
    case markIsForgotten
    /// An edit does not bring a deleted item back.
    case deleteAlwaysWins
    /// The fields of an `add` never lose.
    case addIsNoRegister
    /// Deleted items lose their place.
    case deletedItemsLosePlace
    /// An unknown anchor means the top.
    case unknownAnchorIsTop
    /// An entry that comes twice is folded twice.
    case duplicatesCount
    /// A compression is applied whatever has been appended since it was worked out.
    case stalePlans
    /// The first step of a compression gives all new anchors.
    case anchorsComeFirst
    /// What is discarded of an item is torn apart by the steps of a compression.
    case tornItems
    /// What is appended is not resolved against the Activity.
    case purgedAnchorsStay
    /// An item comes back from the Activity without what was unwanted about it.
    case returningWithoutLosers
    /// Putting a list back moves nothing.
    case orderIsNotPutBack
    /// Undo does not look at what others have decided since.
    case undoWithoutGuard
    /// The digest doesn't say how long its parts are.
    case digestWithoutLengths
    /// Text is equal when it looks equal.
    case canonicalEquivalence

    #if SeededFaults
        @TaskLocal static var seeded: Mistake?

        static func isMade(_ mistake: Mistake) -> Bool { seeded == mistake }
    #else
        @inline(__always)
        static func isMade(_ mistake: Mistake) -> Bool { false }
    #endif
}
