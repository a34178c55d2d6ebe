/// A fault of the protocol or of a store, built into the simulated service or device on request. Each must be found, or the
/// checks have a hole.
package enum Defect: String, CaseIterable, Hashable, Sendable {
    // MARK: The service's upload

    /// After compression a repeated entry is taken again.
    case dedupForgottenByCompression
    /// An entry that another device brings again is taken again.
    case dedupByDevice
    /// A duplicate is answered with the newest sequence instead of its own.
    case duplicateGetsNewestSequence
    /// A duplicate is answered as rejected.
    case duplicateIsRejected
    /// Whether the sender is on the list isn't checked.
    case uploadWithoutMembership
    /// Whether the sender is on the list is read before the request, not inside.
    case membershipReadBefore
    /// A person who may only read may write.
    case readOnlyWrites
    /// A sequence is skipped.
    case sequenceSkipped
    /// Two entries of a request get the same sequence.
    case sequenceUsedTwice
    /// The answer is sent before the commit, which then fails.
    case answeredBeforeCommit
    /// Who made an entry that comes back is ignored.
    case receiptIgnored
    /// Entries have no receipts.
    case receiptsOmitted
    /// The age of an entry is ignored.
    case ageIgnored
    /// Of a request that is too large, the first entries are taken, and the answer says so for all.
    case excessAnsweredAsTaken
    /// Entries that don't fit into the limits are refused one by one, instead of the request.
    case limitsRefuseEntries
    /// An entry about a removed item is appended without asking the Activity.
    case appendsNotResolved
    /// Entries that bring an item back don't reach the stream.
    case restoredEntriesNotSent

    // MARK: The service's fetch

    /// Whether the reader is on the list isn't checked.
    case fetchWithoutMembership
    /// Tokens older than the trail are honoured.
    case trailNotChecked
    /// Tokens of an earlier epoch are honoured.
    case epochNotChecked
    /// Tokens that could be honoured are refused.
    case validTokensRefused
    /// One process goes on with the epoch that it knew.
    case processKeepsEpoch
    /// A restore begins no epoch.
    case restoreKeepsEpoch
    /// The token of a page stands for the whole list.
    case pageTokenSkips
    /// A page that isn't the last says that it is.
    case moreComingForgotten
    /// A page doesn't say that it ends behind its last change.
    case pageEndOmitted
    /// A page without a token doesn't say that it begins a snapshot.
    case snapshotNotNamed
    /// Changes come by kind, not by sequence.
    case pagesOutOfOrder
    /// One process reads a copy that lags, and says that it is up to date.
    case laggingCopy
    /// Changes of the share aren't sent.
    case sharesNotSent

    // MARK: Compression

    /// New anchors aren't sent to devices.
    case anchorsNotSent
    /// New anchors aren't stored for later snapshots.
    case anchorsNotStored
    /// A plan is carried out whatever has come since it was made.
    case stalePlanApplied
    /// A step discards single entries, not whole items.
    case stepsSplitItems
    /// The Activity is compressed, too.
    case activityCompressed
    /// The entry that decides whether an item is marked off is discarded.
    case decidingEntryDiscarded

    // MARK: The device's upload

    /// An entry that is sent again gets a new id.
    case retryGetsNewID
    /// After a refusal for its size, the second half is sent first.
    case orderLostInSplit
    /// A refusal for its size rejects the whole request.
    case tooLargeIsRejected
    /// A lost answer counts as a rejection.
    case lostAnswerIsRejection
    /// All entries of a request are settled, with a verdict or without.
    case settledWithoutVerdict
    /// Rejected entries aren't kept in sight.
    case rejectedVanish
    /// An accepted entry leaves the device before a fetch has brought it.
    case acceptedLeavesAtOnce
    /// The token of an upload's answer replaces the list's.
    case uploadTokenKept
    /// The upload queue is in memory.
    case queueInMemory
    /// The counter begins again when a list comes back.
    case counterBeginsAgain
    /// The age is measured by the wall clock.
    case ageByWallClock
    /// What was made during an upload counts as older than what it carried.
    case madeDuringUploadIsOlder
    /// What was sent in vain before keeps its time when an upload of earlier entries ends.
    case sentInVainKeepsTime
    /// Retries aren't delayed.
    case waitsIgnored
    /// The time of the next try doesn't survive the end of the program.
    case waitsForgotten
    /// Entries are offered again as the sender's own.
    case offeredWithoutOrigin

    // MARK: The device's fetch

    /// The token is stored in a transaction of its own, before the page.
    case tokenSavedApart
    /// A snapshot deletes the upload queue.
    case snapshotClearsQueue
    /// A snapshot deletes what waits to be applied.
    case toApplyDroppedOnReset
    /// The first page of a snapshot replaces the list.
    case halfSnapshotShown
    /// The part of a snapshot that has arrived stays when the token is refused.
    case stagedKept
    /// After a restore, nothing is offered again.
    case restoreNotReoffered
    /// After a restore, entries that were taken and not yet fetched aren't sent again.
    case takenNotReoffered
    /// After a restore, entries that were made more than thirty days ago aren't offered again, whenever they were confirmed.
    case windowByMaking
    /// A list that the service has lost isn't offered as a whole.
    case lostListNotOffered
    /// Discards are ignored.
    case discardsIgnored
    /// New anchors are ignored.
    case anchorsIgnored
    /// Unsent changes of a list that is gone vanish.
    case keptAsideVanish
    /// What waits is never applied.
    case neverApplied
    /// A rejected entry that has arrived all the same stays rejected.
    case arrivedStaysRejected
    /// A rejected entry that has arrived isn't kept for a restored service.
    case arrivedNotKept
}
