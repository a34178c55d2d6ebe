/// `GET /v1/summaries`: the account's summaries of all lists that it has not read past, newest first.
public struct SummariesResponse: Hashable, Sendable, Codable {
    public var summaries: [SessionSummary]

    public init(summaries: [SessionSummary]) { self.summaries = summaries }
}
