import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

/// One file of `Tests/Vectors`.
struct Vector: @unchecked Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The whole file. It never changes after it was read.
    let document: [String: Any]
    let entries: [ConfirmedEntry]
    let cutOff: Timestamp

    /// Those of `Tests/Vectors`, or of the directory that `TROLLEY_VECTORS` names: `Reliability/run versions` has earlier ones.
    static func all() throws -> [Vector] {
        let here = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors").standardized
        let directory = ProcessInfo.processInfo.environment["TROLLEY_VECTORS"].map { URL(filePath: $0) } ?? here
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map(Vector.init)
    }

    private init(_ file: URL) throws {
        let data = try Data(contentsOf: file)
        testDescription = file.deletingPathExtension().lastPathComponent
        document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        entries = try #require(Dump(json: data).lists.first?.content)
        let now = try #require((document["now"] as? String).flatMap { Timestamp($0) })
        let days = try #require((document["olderThan"] as? String).flatMap { Int64($0.dropLast()) })
        cutOff = now.advanced(byMilliseconds: -days * 86_400_000)
    }

    static func entry(from object: Any?) throws -> ConfirmedEntry {
        let data = try JSONSerialization.data(withJSONObject: try #require(object))
        return try JSONReader.read(Array(data)) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
    }

    func object(_ inspection: Inspection) throws -> [String: Any] {
        var writer = JSONWriter()
        inspection.write(to: &writer)
        return try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
    }

    func expected(_ key: String) -> String { value(document, key) }

    func value(_ object: [String: Any], _ key: String) -> String { Vector.json(object[key] ?? "missing") }

    /// A value with its objects' keys in order: equal values are equal texts.
    static func json(_ value: Any) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: value, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "not JSON"
    }
}
