/// Measured times, and their statistics.
struct Latencies: Sendable {
    /// Microseconds.
    private(set) var samples: [UInt32] = []

    mutating func add(_ time: Duration) {
        samples.append(
            UInt32(clamping: time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000))
    }

    mutating func add(_ other: Latencies) { samples += other.samples }

    /// JSON: the count, and milliseconds.
    var json: String {
        let sorted = samples.sorted()
        func milliseconds(_ share: Double) -> Double {
            guard let last = sorted.indices.last else { return 0 }
            return Double(sorted[min(last, Int(share * Double(sorted.count)))]) / 1000
        }
        return """
            {"count":\(sorted.count),"p50":\(milliseconds(0.5)),"p99":\(milliseconds(0.99)),"max":\(milliseconds(1))}
            """
    }
}
