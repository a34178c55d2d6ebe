/// What a client does between sending statements and having all their answers, without doing it.
///
/// The caller performs a `Step`, tells what came of it, and gets the next one. Sending and receiving interleave, so a
/// pipeline of any length can't come to a standstill with both sides' buffers full.
struct Exchange: Sendable {
    enum Interest: Sendable, Equatable {
        case readable, writable, either
    }

    /// What the caller is to do.
    enum Step: Equatable {
        /// PQflush.
        case flush
        /// Wait for the socket.
        case wait(Interest)
        /// PQconsumeInput.
        case consume
        /// PQisBusy and, if it isn't, PQgetResult.
        case takeResult
        /// All answers are there, `outcomes` says which.
        case done
        /// The connection can't be used any more.
        case fail(Failure)
    }

    /// What came of it.
    enum Event: Equatable {
        case started
        case flushed(everything: Bool)
        case ready(readable: Bool, writable: Bool)
        case consumed
        case busy
        case result(ResultStatus)
        /// PQgetResult answered NULL.
        case noResult
        case broke
    }

    enum ResultStatus: Equatable {
        case success, failure, aborted, sync, unsupported
    }

    enum Failure: Equatable {
        case connection
        /// An answer that this client never asked for, such as COPY data.
        case protocolViolation
    }

    enum Outcome: Equatable {
        case pending, success, failure, aborted
    }

    private enum Ending {
        /// A pipeline: each part's results end with NULL, the whole with a sync.
        case sync
        /// A script: any number of results, then NULL.
        case noResult
    }

    private let ending: Ending
    private var unsent = true
    private(set) var outcomes: [Outcome]
    /// The part whose answers are arriving.
    private(set) var current = 0

    /// A pipeline of `parts` commands and a sync.
    init(parts: Int) {
        ending = .sync
        outcomes = Array(repeating: .pending, count: parts)
    }

    /// One simple query, of any number of commands.
    static var script: Exchange { Exchange(ending: .noResult) }

    private init(ending: Ending) {
        self.ending = ending
        outcomes = [.pending]
    }

    mutating func next(_ event: Event) -> Step {
        switch event {
        case .started:
            return .flush
        case .flushed(let everything):
            unsent = !everything
            return .takeResult
        case .busy:
            return .wait(unsent ? .either : .readable)
        case .ready(let readable, _):
            // Reading comes first: a server that can't get rid of its answers takes no more.
            return readable ? .consume : .flush
        case .consumed:
            return unsent ? .flush : .takeResult
        case .result(let status):
            return take(status)
        case .noResult:
            return endPart()
        case .broke:
            return .fail(.connection)
        }
    }

    private mutating func take(_ status: ResultStatus) -> Step {
        if status == .sync {
            return ending == .sync && current == outcomes.count ? .done : .fail(.protocolViolation)
        }
        guard outcomes.indices.contains(current) else { return .fail(.protocolViolation) }
        switch status {
        case .success:
            if outcomes[current] == .pending { outcomes[current] = .success }
        case .failure:
            outcomes[current] = .failure
        case .aborted:
            outcomes[current] = .aborted
        case .sync, .unsupported:
            return .fail(.protocolViolation)
        }
        return .takeResult
    }

    private mutating func endPart() -> Step {
        switch ending {
        case .noResult:
            return .done
        case .sync:
            guard current < outcomes.count, outcomes[current] != .pending else { return .fail(.protocolViolation) }
            current += 1
            return .takeResult
        }
    }
}
