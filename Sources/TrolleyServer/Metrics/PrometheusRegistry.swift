package import Metrics
import Synchronization

/// Keeps metrics for Prometheus to scrape. A backend of swift-metrics.
///
/// A family has one kind of metric; its series differ by their labels. A label must never contain text that a client
/// can choose. As a safeguard, a family stops growing at ``seriesPerFamily``.
package final class PrometheusRegistry: MetricsFactory {
    static let seriesPerFamily = 1000

    private let families = Mutex<[String: MetricFamily]>([:])

    package init() {}

    /// The metrics in text format 0.0.4; families and series ordered by name.
    package var text: String {
        var text = ""
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            family.write(as: name, to: &text)
        }
        return text
    }

    /// Sets the help text of a family.
    func describe(_ name: String, _ help: String) { helps.withLock { $0[name] = help } }
    private let helps = Mutex<[String: String]>([:])

    private func series<Series: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series? {
        let name = label.metricName
        let labels = LabelSet(dimensions)
        return families.withLock { families in
            var family = families[name] ?? MetricFamily(kind: Series.kind, help: helps.withLock { $0[name] })
            // The name belongs to another kind of metric already: refuse it, because Prometheus could not read the
            // result.
            guard family.kind == Series.kind else { return nil }
            if let series = family.series[labels] { return series as? Series }
            guard family.series.count < Self.seriesPerFamily else { return nil }
            let series = make()
            family.series[labels] = series
            families[name] = family
            return series
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { CounterSeries() } ?? CounterSeries()
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { GaugeSeries() } ?? GaugeSeries()
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            series(label, dimensions) { HistogramSeries(bounds: Buckets.sizes) } ?? HistogramSeries(bounds: [])
        } else {
            series(label, dimensions) { GaugeSeries() } ?? GaugeSeries()
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { HistogramSeries(bounds: Buckets.seconds) } ?? HistogramSeries(bounds: [])
    }

    // A series stays for the lifetime of the process: a counter that vanishes and returns would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The upper bounds of histogram buckets.
enum Buckets {
    static let seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let sizes: [Double] = [1, 2, 5, 10, 25, 50, 100, 200, 400, 1000, 5000]
}

extension String {
    /// A valid name: `[a-zA-Z_:][a-zA-Z0-9_:]*`. The labels of swift-metrics have dots.
    var metricName: String {
        let name = String(map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
        return name.first?.isNumber ?? true ? "_" + name : name
    }
}
