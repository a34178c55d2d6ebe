import Foundation
import Testing
import TrolleyJournal

/// `Tests/Vectors/ingredients`: the meaning of a recipe's lines.
@Suite("Vectors of ingredients", .timeLimit(.minutes(20)))
struct IngredientVectorTests {
    struct File: Decodable, CustomTestStringConvertible, Sendable {
        struct Line: Decodable, Sendable {
            var line: String
            var quantity: String?
            var text: String
            var note: String?
        }

        var description: String
        var lines: [Line]
        var testDescription: String { description }

        static func all() throws -> [File] {
            let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../Vectors/ingredients")
            let files = try FileManager.default.contentsOfDirectory(
                at: directory.standardized, includingPropertiesForKeys: nil)
            return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
                .map { try JSONDecoder().decode(File.self, from: Data(contentsOf: $0)) }
        }
    }

    /// Lines that the rule doesn't understand as a person does. A change that understands one takes it from here.
    private static let misses = ["1 stalk, medium (7-1/2\" - 8\" long) celery, peeled and chopped"]

    @Test("a line's quantity, text and note come out", arguments: try File.all())
    func comesOut(_ file: File) {
        #expect(file.lines.count >= 28)
        for line in file.lines {
            let read = IngredientLine(line.line)
            let isRight = read == IngredientLine(text: line.text, quantity: line.quantity, note: line.note)
            #expect(isRight != Self.misses.contains(line.line), "\(line) \(String(describing: read))")
        }
    }

    @Test("no word of any line is lost, and none is added")
    func nothingIsLost() throws {
        var lines = try File.all().flatMap(\.lines).map(\.line)
        #expect(lines.count >= 250)
        // Pieces in any order: nothing traps, and nothing is lost of what is no ingredient either.
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "2", "1/2", "½", "-", "–", "to", "bis", "x", "×", "(", ")", ",", ";", " ", " ", " ", "g", "cup", "cans",
            "d'", "de",
            "of", "a", "half", "onion", "Zwiebel", "œuf", "ca.", "/", "+", "plus", "q.b.", "oz", ".", "’", "\u{A0}",
            "%", "*",
            ":", "0", "999999999999", "EL", "gehackt", "or",
        ]
        for _ in 0..<2_000 {
            lines.append(
                (0..<Int.random(in: 1...14, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? ""
                }
                .joined())
        }
        for line in lines {
            // The number of a list is no word of its line.
            if line.prefixMatch(of: #/[\s\-–*•+x×()]*\d{1,3}[.)]\s/#) != nil { continue }
            guard let read = IngredientLine(line) else { continue }
            let kept = [read.quantity, read.text, read.note].compactMap(\.self).flatMap(Self.words)
            var written: [String: Int] = [:]
            for word in Self.words(line) { written[word, default: 0] += 1 }
            for word in kept { written[word, default: 0] -= 1 }
            #expect(written.values.allSatisfy { $0 >= 0 }, "added: \(line)")
            let lost = written.filter { $0.value > 0 }.keys
            #expect(lost.allSatisfy { Self.dropped.contains($0) }, "\(lost): \(line)")
            #expect(!read.text.isEmpty)
            _ = read.scaled(by: 3, of: 7)
        }
    }

    /// After a quantity: a times sign or a preposition.
    private static let dropped: Set = ["x", "of", "de", "d", "di", "du", "des", "von", "van", "la", "l"]

    private static func words(_ text: String) -> [String] {
        text.matches(of: #/\p{L}+|\p{Nd}+|\p{No}/#).map { String($0.output) }
    }
}
