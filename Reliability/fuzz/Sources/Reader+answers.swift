import TrolleyJournal

@testable import TrolleyWire

extension Reader {
    /// What a device reads from a service, and from files of a service.
    static let answers = [
        Reader(name: "changes") { bytes in
            survives(bytes, "page", { try ChangesPage(json: $0) }, \.json)
            survives(
                bytes, "changes",
                {
                    var changes = try AllChangesResponse(json: $0)
                    // It isn't written for the first version, and there is none before.
                    changes.protocolVersion = max(1, changes.protocolVersion)
                    return changes
                }, \.json)
        },
        Reader(name: "activity") { bytes in
            survives(
                bytes, "activity",
                {
                    var page = try ActivityPage(json: $0)
                    // Only entries have them.
                    for index in page.activity.indices {
                        guard case .participant = page.activity[index].event else { continue }
                        page.activity[index].authorName = nil
                        page.activity[index].itemText = nil
                        page.activity[index].deviceName = nil
                    }
                    return page
                }, \.json)
        },
        Reader(name: "export") { bytes in _ = try? ImportDocument(json: bytes) },
        Reader(name: "dump") { bytes in _ = try? Dump(json: bytes) },
    ]

    static func survives<Value: Equatable>(
        _ bytes: [UInt8], _ what: String, _ read: ([UInt8]) throws -> Value, _ write: (Value) -> [UInt8]
    ) {
        guard let value = try? read(bytes) else { return }
        let written = write(value)
        requireEqual(try? read(written), value, "\(what) is written as \(written.text)")
    }
}
