import FoundationEssentials
import TrolleyPostgres

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
