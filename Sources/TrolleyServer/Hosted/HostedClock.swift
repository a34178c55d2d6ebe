import FoundationEssentials
import TrolleyJournal
import TrolleySync

/// The clock of hosted devices: this process's uptime, and the wall clock for entries that another process made.
enum HostedClock {
    private static let start = ContinuousClock.now
    private static let name = Secret().text

    static func now() -> DeviceTime {
        let elapsed = (ContinuousClock.now - start).components
        return DeviceTime(
            boot: name, uptime: elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000,
            wall: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    }
}
