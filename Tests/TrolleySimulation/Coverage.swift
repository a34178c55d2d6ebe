/// What did happen in runs, and how often. A fault that never happens shows nothing.
package struct Coverage: Hashable, Sendable {
    package enum Event: String, CaseIterable, Hashable, Sendable {
        // Faults, as they took effect.
        case requestLost, answerLost, requestHeld, heldRequestArrived, requestRepeated, requestSlow, programCrashed
        case crashedAfterCommit, crashedWithStagedPages, machineRestarted, clockSetBack, clockSetForward, weeksPassed
        case callRefused, listBusy, processStopped, limitsLowered, trailDropped, databaseRestored, listLost
        case personRemoved, personRejoined, personRestricted, invalidEntryMade
        // What they led to.
        case entriesCompressed, compressionStale, itemBroughtBack, duplicateAnswered, requestTooLarge, requestHalved
        case entryRejected, keptAside, tokenRefused, tokenOlderThanTrail, snapshotInPages, offeredAgain
        case listOfferedAgain, listKeptHere, waitKept, madeDuringUpload, shownWhileShopping
    }

    package private(set) var counts = [Int](repeating: 0, count: Event.allCases.count)

    package init() {}

    package mutating func note(_ event: Event, _ count: Int = 1) { counts[Self.places[event] ?? 0] += count }

    package mutating func add(_ other: Coverage) {
        for place in counts.indices { counts[place] += other.counts[place] }
    }

    package subscript(event: Event) -> Int { counts[Self.places[event] ?? 0] }

    /// What never happened.
    package var missing: [Event] { Event.allCases.filter { self[$0] == 0 } }

    private static let places = Dictionary(uniqueKeysWithValues: zip(Event.allCases, 0...))
}
