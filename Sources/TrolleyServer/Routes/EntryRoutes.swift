import Hummingbird
import Logging
import TrolleyJournal
import TrolleyWire

struct EntryRoutes: Sendable {
    let uploads: Uploads
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/entries") { request, context -> Response in
            let list = try context.list()
            let session = try context.session
            let bytes = try await request.body(upTo: limits)
            let body = try UploadBody(json: bytes.readableBytesView, limits: limits)
            let answer = try await uploads.append(body, to: list, by: session)
            context.log(.debug, "appended", ["list": "\(list)", "verdicts": "\(answer.results.summary)"])
            return .json(bytes: answer.json)
        }
    }
}

/// The outcome of an uploaded entry.
struct VerdictKind: Hashable {
    let status: UploadResult.Status
    let code: ProblemCode?
}

extension [UploadResult] {
    /// The number of results for each verdict.
    var verdicts: [(verdict: VerdictKind, number: Int)] {
        var counts: [(verdict: VerdictKind, number: Int)] = []
        for result in self {
            let verdict = VerdictKind(status: result.status, code: result.code)
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
