import TrolleyJournal
import TrolleySync

/// A device: its store, its clocks, and the run that its program is in.
///
/// A class, so that a step doesn't copy the store.
final class SimulatedDevice {
    let number: Int
    let account: AccountID
    let id: DeviceID
    var store: DeviceStore
    /// What ends with the program.
    var run: DeviceRun?
    var boots = 1
    /// When the machine started, by the true time.
    var startedAt: Int64
    /// How far the wall clock is from the true time.
    var wallOffset: Int64
    /// Until when the device was told to wait, by its own wall clock.
    var mayCallFrom: Timestamp?
    /// When the last call failed.
    var failedAt = Timestamp(milliseconds: 0)
    /// Whether the last run did all that there was to do.
    var isDone = false
    /// How long uploads of this device were under way, together.
    var timeInFlight: Int64 = 0
    /// Since when the present call is under way.
    var calledAt: Int64 = 0
    /// What the device must have of each list after it has stored the answer that it is about to take.
    var expected: [ListID: [ConfirmedEntry]] = [:]
    /// Whether somebody has set the clock, or the machine has restarted.
    var hasSteadyClock = true
    /// How often each list has come to the device. What was confirmed before it left need not be offered again.
    var arrivals: [ListID: Int] = [:]

    init(number: Int, account: AccountID, id: DeviceID, store: DeviceStore, startedAt: Int64, wallOffset: Int64) {
        self.number = number
        self.account = account
        self.id = id
        self.store = store
        self.startedAt = startedAt
        self.wallOffset = wallOffset
    }

    var caller: Caller { Caller(account: account, device: id) }

    func clock(at time: Int64) -> DeviceTime {
        DeviceTime(
            boot: "boot \(boots)", uptime: time - startedAt, wall: Timestamp(milliseconds: time + wallOffset))
    }
}
