import Subprocess
import SystemPackage
import Testing
import TrolleyCatalogue
import TrolleyJournal

/// The tables themselves, so that an edit of theirs breaks nothing.
@Suite(.timeLimit(.minutes(20))) struct CatalogueTableTests {
    @Test("all languages have the same aisles, in one order, each with a name of its own")
    func aisles() throws {
        let english = try #require(Catalogues.catalogue(for: "en"))
        #expect(english.aisles.count == 24)
        for language in Catalogues.languages {
            let catalogue = try #require(Catalogues.catalogue(for: language))
            #expect(catalogue.language == language)
            #expect(catalogue.aisles.map(\.id) == english.aisles.map(\.id))
            #expect(Set(catalogue.aisles.map(\.name)).count == catalogue.aisles.count)
            for aisle in catalogue.aisles {
                #expect(catalogue.words(in: aisle.id).count >= 10, "\(language) \(aisle.id)")
            }
        }
        #expect(Catalogues.catalogue(for: "xx") == nil && Catalogues.catalogue(for: "") == nil)
        #expect(Catalogues.aisleNames.map(\.language) == Catalogues.languages)
        #expect(Catalogues.aisleNames.allSatisfy { $0.aisles.count == 24 })
    }

    @Test("each word finds the aisle in which it stands", arguments: Catalogues.languages)
    func words(language: String) throws {
        let catalogue = try #require(Catalogues.catalogue(for: language))
        for aisle in catalogue.aisles {
            for word in catalogue.words(in: aisle.id) {
                #expect(catalogue.match(word)?.aisle == aisle, "\(word) is not in \(aisle.id)")
            }
        }
    }

    @Test("a table takes at most 30 KB when it is compressed", arguments: Catalogues.languages)
    func size(language: String) async throws {
        let result = try await Subprocess.run(
            .name("gzip"), arguments: ["-9c"], input: .array(Catalogues.data(of: language)),
            output: .bytes(limit: 1 << 20),
            error: .discarded)
        #expect(result.terminationStatus.isSuccess)
        print("catalogue \(language): \(result.standardOutput.count) bytes of gzip")
        #expect((1...30_000).contains(result.standardOutput.count))
    }

    @Test(
        "a table with a line that can't be understood is none",
        arguments: [
            "", "heads: last\n[a] A\nmilk", "language: en\nheads: middle\n[a] A", "language: en\ncolour: red\n[a] A",
            "language: en\nnothing\n[a] A", "language: en\n[] A", "language: en\n[a]", "language: en\n[a A",
            "language: en\nendings: s\n[a] A", "language: en\n> b: cat | *\n[a] A", "language: en\n> a: cat | b\n[a] A",
            "language: en\n> a: cat\n[a] A", "language: en\n> a: cat, Cat | *\n[a] A",
        ])
    func badTable(text: String) { #expect(Catalogue(Array(text.utf8)) == nil) }

    @Test("a table may be short, have any line ends, and name an aisle before it comes")
    func shortTable() throws {
        let text = "language: tlh\r\n# a comment\r\n> b: big | a\r\n\r\n[a] A\r\nfoo, bar/baz\r\n[b] B\r\n"
        let catalogue = try #require(Catalogue(Array(text.utf8)))
        #expect(catalogue.match("baz")?.word == "baz" && catalogue.match("baz")?.aisle.name == "A")
        #expect(catalogue.match("big foo")?.aisle.id == "b" && catalogue.match("big") == nil)
        #expect(catalogue.words(in: "a") == ["foo", "bar"] && catalogue.words(in: "b").isEmpty)
    }

    @Test("a broken table is refused or read, never more")
    func cutTable() {
        let table = Catalogues.data(of: "nl")
        for length in stride(from: 0, to: table.count, by: 997) { _ = Catalogue(Array(table.prefix(length))) }
        #expect(Catalogue([UInt8](repeating: 0xFF, count: 4096)) == nil)
        #expect(Catalogue([UInt8](repeating: 0x0A, count: 2 << 20)) == nil)
    }
}
