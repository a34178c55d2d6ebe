import FoundationEssentials
import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

extension ServiceDiagnostics {
    /// `{"kind": "service", "format": 1, …, "lists": [{"id", "head", "digest", "entries": […]}]}`. `trolley inspect`
    /// compares it with the diagnostics of a device.
    public func json() throws(StoreError) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        try writer.object { writer throws(StoreError) in
            writer.key("kind")
            writer.string("service")
            writer.key("format")
            writer.integer(1)
            writer.key("at")
            writer.timestamp(at)
            try writer.member("scope", scope)
            try writer.member("versions", versions)
            writer.key("epoch")
            writer.string(epoch)
            try writer.member("migrations", migrations)
            if let operation { try writer.member("operation", operation) }
            if !accounts.isEmpty { try writer.member("accounts", accounts) }
            try writer.member("devices", devices)
            writer.key("lists")
            try writer.array { writer throws(StoreError) in
                for list in lists { try list.write(to: &writer) }
            }
        }
        return writer.bytes
    }
}

extension DiagnosedList {
    fileprivate func write(to writer: inout JSONWriter) throws(StoreError) {
        try writer.object { writer throws(StoreError) in
            writer.key("id")
            writer.identifier(facts.id)
            if let name {
                writer.key("name")
                writer.string(name)
            }
            writer.key("head")
            writer.integer(facts.head.rawValue)
            if let digest {
                writer.key("digest")
                writer.string(digest.description)
            }
            writer.key("createdAt")
            writer.timestamp(facts.createdAt)
            for (key, time) in [
                ("compressedUntil", facts.compressedUntil), ("uncompressedSince", facts.uncompressedSince),
            ] {
                writer.key(key)
                if let time { writer.timestamp(time) } else { writer.null() }
            }
            writer.key("live")
            writer.integer(facts.live)
            writer.key("discarded")
            writer.integer(facts.discarded)
            try writer.member("members", members)
            try writer.member("invitations", invitations)
            guard let entries else { return }
            writer.key("entriesOmitted")
            writer.integer(max(0, facts.live - Int64(entries.count)))
            writer.key("entries")
            writer.array { writer in
                for entry in entries { entry.write(to: &writer) }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ name: String, _ value: some Encodable) throws(StoreError) {
        key(name)
        raw(try columnJSON(value))
    }
}

/// A value as JSON text; equal values give equal texts.
func columnJSON(_ value: some Encodable) throws(StoreError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
        throw .database(PostgresError(.misuse, "a value can't be written as JSON"))
    }
}

extension Row {
    /// Decodes a JSON column; nil where it is null.
    func json<Value: Decodable>(_ type: Value.Type = Value.self, at column: Int) throws(PostgresError) -> Value? {
        guard let text = try decode(String?.self, at: column) else { return nil }
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw self[column].mismatch(type)
        }
    }
}
