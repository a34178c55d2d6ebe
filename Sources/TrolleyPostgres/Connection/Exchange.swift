/// The state machine of one exchange with the server: from sending statements to having all their results. It does no
/// I/O.
///
/// The caller performs a `Step`, reports the outcome as an `Event`, and gets the next step. Sending and receiving
/// interleave, so a pipeline of any length can't deadlock with both sides' buffers full.
struct Exchange: Sendable {
    enum Interest: Sendable, Equatable {
        case readable, writable, either
    }

    /// What the caller must do next.
    enum Step: Equatable {
        /// PQflush.
        case flush
        /// Wait for the socket.
        case wait(Interest)
        /// PQconsumeInput.
        case consume
        /// PQisBusy and, if it isn't, PQgetResult.
        case takeResult
        /// All results have arrived; `outcomes` has the outcome of each part.
        case done
        /// The connection is no longer usable.
        case fail(Failure)
    }

    /// The outcome of a step.
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
        /// The server sent something that this client never asks for, such as COPY data.
        case protocolViolation
    }

    enum Outcome: Equatable {
        case pending, success, failure, aborted
    }

    private enum Ending {
        /// A pipeline: each part's results end with NULL, and the whole ends with a sync.
        case sync
        /// A script: any number of results, then NULL.
        case noResult
    }

    private let ending: Ending
    private var unsent = true
    private(set) var outcomes: [Outcome]
    /// The part whose results are arriving.
    private(set) var current = 0

    /// A pipeline of `parts` commands and a sync.
    init(parts: Int) {
        ending = .sync
        outcomes = Array(repeating: .pending, count: parts)
    }

    /// One simple query with any number of commands.
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
            // Read first: a server that can't send its results accepts no more input.
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
