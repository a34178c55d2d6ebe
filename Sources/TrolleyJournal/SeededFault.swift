/// Faults that tests inject, one at a time, to check that the properties detect them. Only a build with the package's
/// trait `SeededFaults` contains them.
enum SeededFault: String, CaseIterable, Sendable {
    /// Compression gives no new anchors.
    case noNewAnchors
    /// Compression gives a new anchor only where the anchor's item is removed.
    case anchorsOnlyForPurgedItems
    /// The last entry to arrive wins, instead of the latest.
    case lastArrivalWins
    /// Of two changes in the same millisecond, the first wins.
    case tiesAreNotBroken
    /// The last `add` or `move` to arrive places an item, instead of the latest.
    case placeIsNotRegister
    /// An entry that places an item below itself counts as the entry that placed it.
    case selfMoveCounts
    /// Compression keeps edits that later ones have overwritten.
    case overwrittenEditsStay
    /// Compression removes a finished item that has a recent entry.
    case recentItemsArePurged
    /// Compression discards the entry that decides whether the item is marked off.
    case markOffIsDiscarded
    /// An edit doesn't restore a deleted item.
    case deleteAlwaysWins
    /// The fields of an `add` always win.
    case addedFieldsAlwaysWin
    /// Deleted items lose their place.
    case deletedItemsLosePlace
    /// An unknown anchor means the top.
    case unknownAnchorIsTop
    /// An entry that occurs twice is folded twice.
    case duplicatesCount
    /// A compression is applied regardless of entries that were appended since it was computed.
    case stalePlansAreApplied
    /// The first step of a compression contains all new anchors.
    case anchorsInFirstStep
    /// The steps of a compression split the discarded entries of an item.
    case itemsSplitAcrossSteps
    /// Appended entries are not resolved against the Activity.
    case appendsAreNotResolved
    /// An item is brought back from the Activity without the live entries that were discarded first.
    case restoredWithoutOverwritten
    /// Restoring a list moves nothing.
    case orderIsNotRestored
    /// Undo ignores what other people have decided since.
    case undoWithoutGuard
    /// The digest doesn't include the lengths of its parts.
    case digestWithoutLengths
    /// Texts are compared by canonical equivalence.
    case canonicalEquivalence
    /// An entry about a message that comes later has no effect.
    case earlyEntriesAboutMessagesAreLost
    /// Compression discards the entry that took a reaction back.
    case unreactsAreDiscarded
    /// A message shows all reactions of a person.
    case reactionsAreUnbounded
    /// A message shows the reactions of a person that came first, instead of those that were made first.
    case firstReactionsToComeAreShown

    #if SeededFaults
        @TaskLocal static var seeded: SeededFault?

        static func isSeeded(_ fault: SeededFault) -> Bool { seeded == fault }
    #else
        @inline(__always)
        static func isSeeded(_ fault: SeededFault) -> Bool { false }
    #endif
}
