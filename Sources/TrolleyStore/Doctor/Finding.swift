/// The result of one check.
package struct Finding: Hashable, Sendable, Codable {
    package enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
        case ok, warning, failed
    }

    /// The name of the check, in a word or two.
    package var check: String
    package var verdict: Verdict
    /// What the check saw.
    package var message: String
    /// What the operator should do; nil when nothing is to be done.
    package var advice: String?

    package init(_ check: String, _ verdict: Verdict, _ message: String, advice: String? = nil) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.advice = advice
    }

    package static func ok(_ check: String, _ message: String) -> Finding { Finding(check, .ok, message) }

    package static func warning(_ check: String, _ message: String, _ advice: String) -> Finding {
        Finding(check, .warning, message, advice: advice)
    }

    package static func failed(_ check: String, _ message: String, _ advice: String) -> Finding {
        Finding(check, .failed, message, advice: advice)
    }
}

extension [Finding] {
    /// The worst verdict among the findings.
    package var verdict: Finding.Verdict {
        contains { $0.verdict == .failed } ? .failed : contains { $0.verdict == .warning } ? .warning : .ok
    }
}
