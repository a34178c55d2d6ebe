import Foundation
import Testing

@testable import TrolleyJournal

@Suite("Properties of random journals", .timeLimit(.minutes(60)))
struct PropertyTests {
    @Test("A property holds", arguments: Property.all)
    func holds(_ property: Property) async throws {
        let run = PropertyRun.current
        let found = try await onOwnThread { property.counterexample(seeds: run.seeds).map(property.shrink) }
        guard let smallest = found else { return }
        Issue.record(
            """
            \(property.name): does not hold (TROLLEY_PROPERTY_SEED=\(run.seed)).
            \(property.refute(smallest) ?? "")
            Smallest journal, as a vector:
            \(smallest.vectorText)
            """)
    }
}

/// The number of journals for each property, and the first seed: always the same, unless `TROLLEY_PROPERTY_SEED` says another.
/// `Reliability/run random` tries new ones.
struct PropertyRun {
    let seed: UInt64
    let count: UInt64

    var seeds: Range<UInt64> { seed..<(seed &+ count) }

    static let current: PropertyRun = {
        let environment = ProcessInfo.processInfo.environment
        let run = PropertyRun(
            seed: environment["TROLLEY_PROPERTY_SEED"].flatMap(UInt64.init) ?? 1,
            count: environment["TROLLEY_PROPERTY_COUNT"].flatMap(UInt64.init) ?? 10_000)
        print("properties: \(Property.all.count), of \(run.count) journals each, TROLLEY_PROPERTY_SEED=\(run.seed)")
        return run
    }()
}

extension Property {
    static let all: [Property] = [
        .foldIsWhatTheDesignSays, .orderOfInputDoesNotMatter, .duplicatesChangeNothing, .pagesFoldAlike,
        .unconfirmedLieOnTop, .interleavingsEndEqual, .digestEqualIffStateIs, .compressionShowsTheSame,
        .undoThenRedoIsWhereYouWere, .undoingAllIsTheBeginning, .undoLeavesOthersAlone, .undoSurvivesCompression,
        .compressingTwiceIsOnce, .compressingInStepsIsAtOnce, .recentEntriesStay, .compressionAndAppendingCommute,
        .stepsShowTheSame, .plansHold, .stepsAndAppendingCommute, .resolvingKnownEntriesIsTheSame,
        .replayIsTheFoldOfAPrefix, .puttingBackIsThatMoment, .rowChangesLeadToTheNewRows, .finishedArrivalsOnlyHide,
    ]
}
