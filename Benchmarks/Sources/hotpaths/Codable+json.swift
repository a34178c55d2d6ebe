import FoundationEssentials

// What a message that is Codable costs. One that Trolley reads and writes by hand has members of its own with these names,
// and these are not taken: so commits from before and after such a change can be compared.

extension Encodable {
    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}

extension Decodable {
    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }
}
