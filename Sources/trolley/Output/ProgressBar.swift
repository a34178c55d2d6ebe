import TrolleyClient
import TrolleySync

/// Shows the progress of a long upload, or the reason for a wait, on standard error, if that is a terminal.
struct ProgressBar {
    let device: Device

    /// The number of entries from which a bar is shown.
    private static let minChangesToShow = 500
    private static let width = 30

    /// Shows the bar while `body` runs, and removes it afterwards.
    func during<Value>(_ body: () async throws -> Value) async throws -> Value {
        Terminal.flush()
        guard Terminal.showsProgress else { return try await body() }
        let status = device.status
        let server = try await device.session()?.server
        // After a second, show the reason for the wait.
        let waiting = Task {
            try await Task.sleep(for: .seconds(1))
            if let server {
                Terminal.hint("\r\u{1B}[K", localized("Waiting for \(server) …", de: "Warten auf \(server) …"))
            }
        }
        let drawing = Task {
            for try await step in status {
                if case .sending(let done, let all) = step, all >= Self.minChangesToShow {
                    Terminal.hint("\r\u{1B}[K", Self.line(done: done, of: all))
                }
            }
        }
        defer {
            drawing.cancel()
            waiting.cancel()
            Terminal.hint("\r\u{1B}[K")
        }
        return try await body()
    }

    static func line(done: Int, of all: Int) -> String {
        let filled = all > 0 ? width * min(done, all) / all : width
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return localized("Sending \(bar) \(done) of \(all)", de: "Senden \(bar) \(done) von \(all)")
    }
}
