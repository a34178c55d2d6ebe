import Foundation
import Testing
import TrolleyCatalogue
import TrolleyJournal

/// A name from `Tests/Catalogue/`. Those of the languages were written before the catalogue.
struct MeasuredName {
    let text: String
    /// The ids of the aisles that a reasonable person would accept.
    let aisles: Set<String>

    /// All names of a file: `aisle aisle …: name, name, …` in each line.
    /// - Parameter name: a language's code, or `kinds`.
    static func all(in name: String) throws -> [MeasuredName] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Catalogue/\(name).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return lines.flatMap { line -> [MeasuredName] in
            let parts = line.components(separatedBy: ": ")
            let aisles = Set(parts[0].split(separator: " ").map(String.init))
            return parts[1].components(separatedBy: ", ").map { MeasuredName(text: $0, aisles: aisles) }
        }
    }
}
