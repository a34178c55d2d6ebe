public import TrolleyJournal

/// A device's report on its two queues, sent with each sync for the service's diagnostics: counts, ages and codes. It
/// never contains a time, because device clocks are wrong, and no text that a person wrote.
public struct QueueReport: Hashable, Sendable, Codable {
    /// A kind of failure, and how often it occurred recently.
    public struct Failure: Hashable, Sendable, Codable {
        /// A `ProblemCode`, or `unreachable`, `notUnderstood`, `store`.
        public var code: String
        public var count: Int
        /// Milliseconds since it last occurred.
        public var age: Int64

        public init(code: String, count: Int, age: Int64) {
            self.code = code
            self.count = count
            self.age = age
        }
    }

    /// Entries that wait to be sent, by operation.
    public var upload: [String: Int]
    /// Entries that were received and are not shown yet, by operation.
    public var toApply: [String: Int]
    /// How long the oldest entry has waited to be sent, in milliseconds; nil when none waits.
    public var oldestAge: Int64?
    /// The smallest `deviceSequence` that waits to be sent, for each list where one does. The device holds nothing back
    /// on lists that are not here.
    public var held: [ListID: Int64]
    /// Newest first.
    public var failures: [Failure]

    public init(
        upload: [String: Int] = [:], toApply: [String: Int] = [:], oldestAge: Int64? = nil, held: [ListID: Int64] = [:],
        failures: [Failure] = []
    ) {
        self.upload = upload
        self.toApply = toApply
        self.oldestAge = oldestAge
        self.held = held
        self.failures = failures
    }

    #if !hasFeature(Embedded)
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            upload = try container.decodeIfPresent([String: Int].self, forKey: .upload) ?? [:]
            toApply = try container.decodeIfPresent([String: Int].self, forKey: .toApply) ?? [:]
            oldestAge = try container.decodeIfPresent(Int64.self, forKey: .oldestAge)
            held = try container.decodeIfPresent([ListID: Int64].self, forKey: .held) ?? [:]
            failures = try container.decodeIfPresent([Failure].self, forKey: .failures) ?? []
        }
    #endif
}

extension QueueReport {
    /// The largest number of failures in a report.
    public static let maxFailures = 8
    /// The largest count: a billion. Higher counts are cut to it.
    public static let maxCount = 1_000_000_000
    /// The largest age, in milliseconds: ten years. Higher ages are cut to it.
    public static let oldest = Age(days: 3_650).milliseconds

    /// The report as the service stores it: only words in a known form, only lists that the person is on, and no values
    /// that a device can't mean. So values can always be added up and subtracted from a time.
    public func trimmed(to lists: Set<ListID>) -> QueueReport {
        func counts(_ counts: [String: Int]) -> [String: Int] {
            counts.filter { Operation(rawValue: $0.key) ?? .unknown != .unknown && $0.value > 0 }
                .mapValues { min($0, Self.maxCount) }
        }
        func age(_ age: Int64) -> Int64 { min(max(0, age), Self.oldest) }
        return QueueReport(
            upload: counts(upload), toApply: counts(toApply), oldestAge: oldestAge.map(age),
            held: held.filter { lists.contains($0.key) && $0.value > 0 },
            failures: failures.filter { $0.code.isCode }.prefix(Self.maxFailures).map {
                Failure(code: $0.code, count: min(max(1, $0.count), Self.maxCount), age: age($0.age))
            })
    }
}

extension String {
    /// Whether it is one word of ASCII letters, so that no text of a person passes for a code.
    fileprivate var isCode: Bool {
        (1...40).contains(utf8.count) && utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    }
}
