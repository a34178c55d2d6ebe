import Metrics
import Synchronization

/// One series of values.
protocol MetricSeries: AnyObject, Sendable {
    static var kind: MetricFamily.Kind { get }
    /// Writes the samples, one on each line.
    func write(as name: String, _ labels: LabelSet, to text: inout String)
}

/// The labels of a series, ordered by name.
struct LabelSet: Hashable, Sendable {
    private let pairs: [[String]]

    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[name.metricName.replacing(":", with: "_")] = value }
        pairs = values.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
    }

    var sortKey: String { text() }

    /// `{route="/v1/lists",le="0.1"}`; empty without labels.
    func text(le bound: String? = nil) -> String {
        let all = pairs.map { "\($0[0])=\"\($0[1].escaped(quotes: true))\"" } + (bound.map { ["le=\"\($0)\""] } ?? [])
        return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
    }
}

/// All series with the same name.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram }

    let kind: Kind
    let help: String?
    var series: [LabelSet: any MetricSeries] = [:]

    init(kind: Kind, help: String?) {
        self.kind = kind
        self.help = help
    }

    func write(as name: String, to text: inout String) {
        if let help { text += "# HELP \(name) \(help.escaped(quotes: false))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
        for (labels, series) in series.sorted(by: { $0.key.sortKey < $1.key.sortKey }) {
            series.write(as: name, labels, to: &text)
        }
    }
}

final class CounterSeries: MetricSeries, CounterHandler {
    static let kind = MetricFamily.Kind.counter
    private let value = Atomic<Int64>(0)

    // A counter never falls.
    func increment(by amount: Int64) { if amount > 0 { value.wrappingAdd(amount, ordering: .relaxed) } }
    func reset() { value.store(0, ordering: .relaxed) }

    func write(as name: String, _ labels: LabelSet, to text: inout String) {
        text += "\(name)\(labels.text()) \(value.load(ordering: .relaxed))\n"
    }
}

final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    static let kind = MetricFamily.Kind.gauge
    private let value = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(as name: String, _ labels: LabelSet, to text: inout String) {
        text += "\(name)\(labels.text()) \(value.withLock { $0 }.sample)\n"
    }
}

final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    static let kind = MetricFamily.Kind.histogram

    private struct State {
        /// The count of each bucket, not cumulative. The last bucket has no bound.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func preferDisplayUnit(_ unit: TimeUnit) {}

    func write(as name: String, _ labels: LabelSet, to text: inout String) {
        let state = state.withLock { $0 }
        var total = 0
        for (bound, count) in zip(bounds.map(\.sample) + ["+Inf"], state.counts) {
            total += count
            text += "\(name)_bucket\(labels.text(le: bound)) \(total)\n"
        }
        text += "\(name)_sum\(labels.text()) \(state.sum.sample)\n\(name)_count\(labels.text()) \(total)\n"
    }
}

extension Double {
    /// The number in Prometheus's text format.
    fileprivate var sample: String {
        if isNaN { return "NaN" }
        if isInfinite { return self > 0 ? "+Inf" : "-Inf" }
        return self == rounded() && magnitude < 1e15 ? String(Int64(self)) : description
    }
}

extension String {
    fileprivate func escaped(quotes: Bool) -> String {
        var text = replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        if quotes { text = text.replacing("\"", with: "\\\"") }
        return text
    }
}
