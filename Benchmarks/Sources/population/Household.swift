import NIOHTTP1
import Synchronization
import TrolleyJournal
import TrolleyWire

/// A household and the state of its three phones.
struct Household: Sendable {
    let number: Int
    private(set) var year: ShoppingYear
    private(set) var phones: [Phone]
    /// The time of the service's last answer. New changes were made since.
    private var lastAnswer = ContinuousClock.now

    /// - Parameter isWatched: whether its phones fold the received changes.
    init(number: Int, isWatched: Bool) {
        self.number = number
        year = ShoppingYear(household: number)
        phones = Array(repeating: Phone(isWatched: isWatched), count: 3)
    }

    var list: ListID { Fixture.list(number) }

    mutating func nextWeek() -> [ShoppingYear.Step] { year.week() }

    /// The step's requests to the service.
    ///
    /// A year passes in minutes, but ages are true: entries were made one after another since the last answer. An age of
    /// more than that would say that somebody marked off what nobody had added yet, and the fold would take their word for it.
    func call(for step: ShoppingYear.Step) -> HTTPCall {
        switch step {
        case .sync(let device): sync(of: device)
        case .upload(let device, let entries):
            HTTPCall(
                method: .POST, path: Path.entries(list), authorization: authorization(device),
                body: UploadRequest(entries: withAges(entries)).json)
        }
    }

    /// - Parameter digests: whether to ask for digests.
    func sync(of device: Int, digests: Bool = false) -> HTTPCall {
        phones[device].sync(of: list, authorization: authorization(device), digests: digests)
    }

    func authorization(_ device: Int) -> String { "Bearer \(Fixture.token(3 * number - 2 + device))" }

    mutating func hasHeard() { lastAnswer = .now }

    /// Processes the answer of a sync.
    mutating func take(_ answer: AllChangesResponse, on device: Int) {
        for page in answer.lists.lazy.filter({ [list] in $0.id == list }).map(\.page) { phones[device].take(page) }
    }

    private func withAges(_ entries: [JournalEntry]) -> [UploadEntry] {
        let milliseconds = Int64((ContinuousClock.now - lastAnswer) / .milliseconds(1))
        let count = Int64(entries.count)
        return entries.enumerated().map { index, entry in
            UploadEntry(entry: entry, age: milliseconds * (count - 1 - Int64(index)) / count)
        }
    }
}

/// A device. It remembers up to where it has taken the list's changes; one that is watched folds them, too.
struct Phone: Sendable {
    private var token: String?
    private var fold: ListFold?

    init(isWatched: Bool) { fold = isWatched ? ListFold() : nil }

    /// The shown list; nil when the household isn't watched.
    var digest: StateDigest? { fold?.confirmedState.digest }
    var isWatched: Bool { fold != nil }

    func sync(of list: ListID, authorization: String, digests: Bool) -> HTTPCall {
        let known = token.map { #""\#(list)":"\#($0)""# } ?? ""
        return HTTPCall(
            method: .POST, path: Path.changes, authorization: authorization,
            body: Array(#"{"tokens":{\#(known)}\#(digests ? #","digests":true"# : "")}"#.utf8))
    }

    mutating func take(_ page: ChangesPage) {
        token = page.token
        guard var fold else { return }
        // Else it would be held twice, and copied at each change.
        self.fold = nil
        if page.snapshot { fold = ListFold() }
        for change in page.changes {
            switch change.body {
            case .entry(let entry): fold.apply(entry)
            case .discard(let ids, _): fold.discard(ids)
            case .share: break
            }
        }
        self.fold = fold
    }
}

/// All households, and their measurements.
final class Town: Sendable {
    struct Record: Sendable {
        var reads = Latencies()
        var writes = Latencies()
        var entries = 0
        /// Answers that asked to wait.
        var slowedDown = 0
    }

    private struct State {
        var households: [Household]
        var record = Record()
    }

    private let state: Mutex<State>

    /// - Parameter watched: the number of households with phones that fold; they are spread evenly.
    init(households: Int, watched: Int) {
        state = Mutex(
            State(
                households: (1...households).map {
                    Household(
                        number: $0, isWatched: $0 * watched / households > ($0 - 1) * watched / households)
                }))
    }

    func leave(_ number: Int) -> Household { state.withLock { $0.households[number - 1] } }

    func comeHome(_ household: Household, _ record: Record) {
        state.withLock { state in
            state.households[household.number - 1] = household
            state.record.reads.add(record.reads)
            state.record.writes.add(record.writes)
            state.record.entries += record.entries
            state.record.slowedDown += record.slowedDown
        }
    }

    var record: Record { state.withLock { $0.record } }
}
