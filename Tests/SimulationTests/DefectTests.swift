import Testing
import TrolleySimulation

/// Checks the checks: each defect that the simulated service or device can have is found.
@Suite(.timeLimit(.minutes(20))) struct DefectTests {
    /// The first seed that finds each defect. `simulate --defects 2000` prints them anew when scenarios have changed.
    /// The last two were found by a million seeds.
    private static let finders: [Defect: UInt64] = [
        .dedupForgottenByCompression: 66, .dedupByDevice: 35, .duplicateGetsNewestSequence: 0,
        .duplicateIsRejected: 0, .uploadWithoutMembership: 0, .membershipReadBefore: 16, .readOnlyWrites: 5,
        .sequenceSkipped: 0, .sequenceUsedTwice: 0, .answeredBeforeCommit: 0, .receiptIgnored: 105,
        .receiptsOmitted: 105, .ageIgnored: 0, .excessAnsweredAsTaken: 16, .limitsRefuseEntries: 16,
        .appendsNotResolved: 14, .restoredEntriesNotSent: 58, .fetchWithoutMembership: 0, .trailNotChecked: 34,
        .epochNotChecked: 0, .validTokensRefused: 0, .processKeepsEpoch: 3, .restoreKeepsEpoch: 0, .pageTokenSkips: 8,
        .moreComingForgotten: 8, .pageEndOmitted: 5870, .snapshotNotNamed: 34, .pagesOutOfOrder: 0, .laggingCopy: 0,
        .sharesNotSent: 0,
        .anchorsNotSent: 0, .anchorsNotStored: 0, .stalePlanApplied: 550, .stepsSplitItems: 39,
        .activityCompressed: 0, .decidingEntryDiscarded: 3, .retryGetsNewID: 0, .orderLostInSplit: 51,
        .tooLargeIsRejected: 16, .lostAnswerIsRejection: 1, .settledWithoutVerdict: 7, .rejectedVanish: 5,
        .acceptedLeavesAtOnce: 8, .uploadTokenKept: 0, .queueInMemory: 1, .counterBeginsAgain: 383,
        .ageByWallClock: 5, .madeDuringUploadIsOlder: 23, .sentInVainKeepsTime: 51, .waitsIgnored: 3,
        .waitsForgotten: 3,
        .offeredWithoutOrigin: 105, .tokenSavedApart: 159, .snapshotClearsQueue: 0, .toApplyDroppedOnReset: 22,
        .halfSnapshotShown: 513, .stagedKept: 65, .restoreNotReoffered: 40, .takenNotReoffered: 40,
        .lostListNotOffered: 969, .discardsIgnored: 0, .anchorsIgnored: 0, .keptAsideVanish: 14, .neverApplied: 0,
        .arrivedStaysRejected: 759, .arrivedNotKept: 200149, .windowByMaking: 643097,
    ]

    @Test(arguments: Defect.allCases) func `a defect is found`(_ defect: Defect) throws {
        let seed = try #require(Self.finders[defect], "no seed is known that finds this defect")
        let outcome = Simulation.run(Scenario(seed: seed), defect: defect)
        #expect(!outcome.violations.isEmpty)
        // It is the defect that breaks the promise, not the scenario.
        #expect(Simulation.run(Scenario(seed: seed)).violations.isEmpty)
    }

    @Test func `a failing scenario shrinks to few steps that break the same promise`() {
        let scenario = Scenario(seed: 35)
        let shrunk = Simulation.shrink(scenario, defect: .dedupByDevice)
        #expect(shrunk.steps.count < scenario.steps.count / 3)
        let violations = Simulation.run(shrunk, defect: .dedupByDevice).violations
        #expect(violations.first?.hasPrefix("I2") == true)
        // Each of them is needed.
        for index in shrunk.steps.indices {
            var shorter = shrunk
            shorter.steps.remove(at: index)
            #expect(Simulation.run(shorter, defect: .dedupByDevice).violations.first?.hasPrefix("I2") != true)
        }
    }
}
