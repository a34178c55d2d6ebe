/// The goods of a supermarket in one language: which words stand in which aisle, and how the language puts them together.
///
/// It is made from one of the tables in `Catalogue/`, plain text that people edit; `Catalogue/README.md` describes it. The
/// catalogue only proposes: what people gave an item always counts more (``AisleChoice``).
public struct Catalogue: Sendable {
    /// An aisle, which is the same in all languages.
    public struct Aisle: Hashable, Sendable {
        /// The same in all languages: `dairy`.
        public let id: String
        /// In the catalogue's language: 'Dairy'.
        public let name: String
    }

    /// The aisle of a text, and the word in the catalogue that decided.
    public struct Match: Hashable, Sendable {
        public let aisle: Aisle
        /// As the catalogue writes it: for 'Weidemilch 1,5 %' it is 'Milch'.
        public let word: String
    }

    /// The language's code: `en`.
    public internal(set) var language = ""
    /// The aisles, in the order in which many shops have them.
    public internal(set) var aisles: [Aisle] = []

    let data: [UInt8]
    var words: [Word] = []
    /// `words` by what they are and by their stems.
    var exact: [CatalogueKey: Int32] = [:]
    var stems: [CatalogueKey: Int32] = [:]
    var rules: [Rule] = []
    /// `rules` by their words, by the stems of these, and by the beginnings of compounds.
    var ruleWords: [CatalogueKey: Int32] = [:]
    var ruleStems: [CatalogueKey: Int32] = [:]
    var ruleBeginnings: [CatalogueKey: Int32] = [:]
    /// Words that are left out.
    var skipped: Set<CatalogueKey> = []
    /// Words that begin a new part of a text: 'with'.
    var breaks: Set<CatalogueKey> = []
    /// Words that count nothing after a number: 'rolls'.
    var units: Set<CatalogueKey> = []
    /// Endings of compounds that leave the decision to what is before: 'filet'.
    var neutral: Set<CatalogueKey> = []
    var endings = CatalogueEndings()
    /// Whether the first word that is known decides, as in 'lait de coco'; otherwise the last.
    var isFirstWordHead = false
    /// The least number of letters with which a word is looked for at the end of another; 0: the language writes compounds apart.
    var shortestEnding = 0
    var joinsUmlauts = false

    /// A word or phrase of the table.
    struct Word: Sendable {
        /// Where it stands in `data`.
        var place: Range<Int32>
        var aisle: UInt8
        /// Whether it is written with a hyphen before it: it is also looked for at the end of words, however short it is.
        var isEnding: Bool
        /// Whether it is offered to people. Spelling variants and endings are not.
        var isOffered: Bool
    }

    /// A word that changes the aisle of another: 'tinned' moves fruit to the tins.
    struct Rule: Sendable {
        /// Where its first word stands in `data`.
        var place: Range<Int32>
        /// The aisles from which it moves, a bit each.
        var from: UInt32
        var to: UInt8
        /// Whether it decides where no other word is known.
        var decidesAlone: Bool
    }

    /// - Parameter data: a table, in UTF-8.
    /// - Returns: nil if a line can't be understood, with nothing lost but the catalogue.
    public init?(_ data: [UInt8]) {
        self.data = data
        guard read() else { return nil }
    }

    /// The words that stand in an aisle, as people would write them, the most common first. Empty for an unknown aisle.
    public func words(in aisle: String) -> [String] {
        guard let index = aisles.firstIndex(where: { $0.id.hasSameBytes(as: aisle) }) else { return [] }
        return words.filter { $0.isOffered && $0.aisle == index }.map { text(at: $0.place) }
    }

    func text(at place: Range<Int32>) -> String {
        String(decoding: data[Int(place.lowerBound)..<Int(place.upperBound)], as: UTF8.self)
    }

    func match(_ place: Range<Int32>, in aisle: UInt8) -> Match {
        Match(aisle: aisles[Int(aisle)], word: text(at: place))
    }
}
