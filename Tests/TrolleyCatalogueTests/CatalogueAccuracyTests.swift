import Testing
import TrolleyCatalogue
import TrolleyJournal

/// How many names of goods get an aisle that a reasonable person would accept.
@Suite(.timeLimit(.minutes(20))) struct CatalogueAccuracyTests {
    /// The least share of each language, in per cent, and the least number of names that it is measured with.
    static let goals = [
        ("en", 90, 500), ("de", 90, 500), ("fr", 75, 150), ("es", 75, 150), ("it", 75, 150), ("nl", 75, 150),
    ]

    @Test("names that were written before the catalogue get their aisle", arguments: goals)
    func accuracy(language: String, percent: Int, least: Int) throws {
        let catalogue = try #require(Catalogues.catalogue(for: language))
        let names = try MeasuredName.all(in: language)
        let wrong = names.filter { name in catalogue.match(name.text).map { !name.aisles.contains($0.aisle.id) } ?? true
        }
        let right = names.count - wrong.count
        let share = right * 1000 / names.count
        print(
            "catalogue \(language): \(right) of \(names.count), \(share / 10).\(share % 10) %; not: \(wrong.map(\.text))"
        )
        #expect(names.count >= least)
        #expect(Set(names.map(\.text)).count == names.count)
        #expect(share >= percent * 10)
    }

    @Test("the kinds of goods of a real supermarket get their aisle")
    func kinds() throws {
        let catalogue = try #require(Catalogues.catalogue(for: "en"))
        let kinds = try MeasuredName.all(in: "kinds")
        #expect(kinds.count == 169 && Set(kinds.map(\.text)).count == 169)
        let wrong = kinds.filter { kind in
            catalogue.match(kind.text).map { !kind.aisles.contains($0.aisle.id) } ?? true
        }
        #expect(wrong.count <= 16, "at least 90 per cent; not: \(wrong.map(\.text))")
    }

    @Test("the files name aisles that there are", arguments: Catalogues.languages + ["kinds"])
    func aisles(file: String) throws {
        let language = file == "kinds" ? "en" : file
        let known = Set(try #require(Catalogues.catalogue(for: language)).aisles.map(\.id))
        for name in try MeasuredName.all(in: file) {
            #expect(name.aisles.isSubset(of: known) && !name.aisles.isEmpty, "\(name.text)")
        }
    }
}
