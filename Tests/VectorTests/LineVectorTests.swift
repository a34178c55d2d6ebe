import Foundation
import Testing
import TrolleyJournal

/// `Tests/Vectors/lines`: the meaning of written and pasted lines.
@Suite("Vectors of lines", .timeLimit(.minutes(20)))
struct LineVectorTests {
    struct File: Decodable, CustomTestStringConvertible, Sendable {
        struct Line: Decodable, Sendable {
            var line: String
            /// nil: the line isn't an item.
            var text: String?
            var quantity: String?
            var markedOff: Bool
        }

        var description: String
        var lines: [Line]
        var testDescription: String { description }

        static func all() throws -> [File] {
            let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/lines")
            let files = try FileManager.default.contentsOfDirectory(
                at: directory.standardized, includingPropertiesForKeys: nil)
            return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
                .map { try JSONDecoder().decode(File.self, from: Data(contentsOf: $0)) }
        }
    }

    @Test("A line's text, quantity and mark come out", arguments: try File.all())
    func comesOut(_ file: File) {
        for line in file.lines {
            let read = ItemLine(line.line)
            #expect(read?.text.utf8.elementsEqual(line.text?.utf8 ?? "".utf8) ?? (line.text == nil), "\(line)")
            #expect(read?.quantity == line.quantity, "\(line)")
            #expect(read?.isMarkedOff ?? false == line.markedOff, "\(line)")
        }
    }

    @Test("each line of a text is read as by itself, with any line end")
    func text() throws {
        let lines = try File.all().flatMap(\.lines)
        #expect(lines.count > 100)
        for end in ["\n", "\r\n", "\r", "\u{2028}"] {
            #expect(
                ItemLine.lines(of: lines.map(\.line).joined(separator: end)) == lines.compactMap { ItemLine($0.line) })
        }
    }

    @Test("No letter and no digit of any line is lost, and nothing traps")
    func nothingIsLost() throws {
        var generator = SystemRandomNumberGenerator()
        let pieces = [
            "2", "x", "×", " ", ",", "l", "g", "500", "½", "/", "(", ")", "- ", "[x] ", "1. ", "milk", "of ", "can",
            "é",
            ":", ".", "*", "\u{A0}", "fl oz", "•",
        ]
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 1...9, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let read = ItemLine(line) else { continue }
            let kept = (read.text + (read.quantity ?? "")).filter { $0.isLetter || $0.isNumber }
            // Numbers of a list, the x of a box or for 'times', and 'of' are marks.
            let written = line.filter { $0.isLetter || $0.isNumber }
            #expect(kept.count + 8 >= written.count && !read.text.isEmpty, "\(line)")
            #expect(line.contains(read.text) && read.quantity.map { line.contains($0) } ?? true, "\(line)")
        }
    }
}
