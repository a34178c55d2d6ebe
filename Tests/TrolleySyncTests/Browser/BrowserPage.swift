import Foundation

/// A page in a browser, at the other end of two named pipes: a call is a line of JSON, and so is its answer.
/// `Tests/Browser/test_queue_store.py` makes the pipes, and has the page answer.
actor BrowserPage {
    /// The directory of the pipes `calls` and `answers`; nil where no browser test runs these tests.
    static let directory = ProcessInfo.processInfo.environment["TROLLEY_BROWSER_PIPES"]
    static let shared = Result { try BrowserPage() }

    private let calls: FileHandle
    private let answers: FileHandle
    private var received = Data()

    private init() throws {
        let directory = URL(filePath: BrowserPage.directory ?? "")
        calls = try FileHandle(forWritingTo: directory.appending(path: "calls"))
        answers = try FileHandle(forReadingFrom: directory.appending(path: "answers"))
    }

    func answer(to call: [UInt8]) throws -> Data {
        try calls.write(contentsOf: Data(call) + [UInt8(ascii: "\n")])
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return Data(received[..<end])
            }
            let more = answers.availableData
            guard !more.isEmpty else { throw CocoaError(.fileReadUnknown) }
            received += more
        }
    }
}
