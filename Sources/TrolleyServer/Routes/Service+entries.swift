import Hummingbird
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addEntryRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/entries") { request, context -> Response in
            let list = try context.list()
            let session = try context.session
            let bytes = try await request.body(upTo: limits)
            let body = try UploadBody(json: bytes.readableBytesView, limits: limits)
            let answer = try await upload(body, to: list, by: session)
            context.log(.debug, "appended", ["list": "\(list)", "verdicts": "\(answer.results.summary)"])
            return .json(bytes: answer.json)
        }
    }

    /// Appends to a list's journal, for whichever device, and tells the others.
    func upload(
        _ body: UploadBody, to list: ListID, by session: Session
    ) async throws(StoreError) -> UploadResponse {
        let appended = try await traced("append") { () async throws(StoreError) in
            try await store.append(
                body, to: list, by: session, ageCap: limits.ageCap, quotas: configuration.quotas)
        }
        metrics.note(appended.results)
        if appended.results.contains(where: { $0.status == .applied }) {
            hub.appended(
                to: list, from: appended.previous, to: appended.head, by: session.device, people: appended.people)
        }
        let token = ChangeToken(list: list, epoch: appended.epoch, sequence: appended.head, mark: appended.mark)
        return UploadResponse(results: appended.results, token: token.text(key: tokenKey))
    }
}

/// What became of an entry.
struct Verdict: Hashable {
    let status: UploadResult.Status
    let code: ProblemCode?
}

extension [UploadResult] {
    /// How many of each.
    var verdicts: [(verdict: Verdict, number: Int)] {
        var counts: [(verdict: Verdict, number: Int)] = []
        for result in self {
            let verdict = Verdict(status: result.status, code: result.code)
            if let index = counts.firstIndex(where: { $0.verdict == verdict }) {
                counts[index].number += 1
            } else {
                counts.append((verdict, 1))
            }
        }
        return counts
    }

    /// `applied 3, rejected limitExceeded 1`.
    fileprivate var summary: String {
        verdicts.map { verdict, number in
            [verdict.status.rawValue, verdict.code?.rawValue, "\(number)"].compactMap(\.self).joined(separator: " ")
        }
        .sorted().joined(separator: ", ")
    }
}
