import FoundationEssentials
import TrolleyJournal

@testable import TrolleyWire

extension Reader {
    /// Entries, as devices send them and as the service passes them on.
    static let entries = [
        Reader(name: "entry") { bytes in
            survives(bytes, "entry", { reader throws(WireError) in try JournalEntry(from: &reader) }) {
                $0.write(to: &$1)
            }
            survives(bytes, "confirmed entry", { reader throws(WireError) in try ConfirmedEntry(from: &reader) }) {
                $0.write(to: &$1)
            }
            survives(bytes, "fields", { reader throws(WireError) in try Fields(from: &reader) }) { $0.write(to: &$1) }
        },
        Reader(name: "upload") { bytes in
            let limits = Limits(entriesPerRequest: 8, bytesPerEntry: 256, bytesOfFields: 128, fieldsPerEntry: 4)
            guard let body = try? UploadBody(json: bytes, limits: limits) else { return }
            require(body.items.count <= limits.entriesPerRequest, "more entries than allowed")
            let valid = body.items.compactMap { item in if case .valid(let entry) = item { entry } else { nil } }
            for upload in valid {
                require(upload.age >= 0, "a negative age")
                require(upload.entry.fields.excess(over: limits) == nil, "more fields than allowed")
            }
            let request = UploadRequest(entries: valid, atomic: body.atomic, validateOnly: body.validateOnly)
            let again = try? UploadBody(json: request.json, limits: Limits())
            requireEqual(again?.items ?? [], valid.map { .valid($0) }, "the upload differs after it was written")
        },
        // What this reader takes, Foundation's takes as well.
        Reader(name: "json") { bytes in
            guard let text = bytes.validText, let tree = JSONTree(text) else { return }
            let json = Array(text.hasPrefix("\u{FEFF}") ? text.utf8.dropFirst(3) : text.utf8[...])
            do { _ = try JSONDecoder().decode(Anything.self, from: Data(json)) } catch {
                if case .object = tree { fatalError("only we call this JSON: \(text)") }
                if case .array = tree { fatalError("only we call this JSON: \(text)") }
            }
            _ = try? Outline.text(of: json, counting: ["entries"])
        },
    ]

    /// JSON in the form that it is written in is read as the same.
    static func survives<Value: Equatable>(
        _ bytes: [UInt8], _ what: String, _ read: (inout JSONReader) throws(WireError) -> Value,
        _ write: (Value, inout JSONWriter) -> Void
    ) {
        guard let value = try? JSONReader.read(bytes, read) else { return }
        var writer = JSONWriter()
        write(value, &writer)
        let again = try? JSONReader.read(writer.bytes, read)
        requireEqual(again, value, "\(what) is written as \(writer.bytes.text)")
    }

    struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
