/// The endings that a language's words take, such as those of plurals. Words that differ only in them, or in doubled letters,
/// have one stem: 'tomato', 'tomatoes' and 'tommato'.
struct CatalogueEndings: Sendable {
    private var endings: [(ending: [UInt8], instead: [UInt8])] = []
    /// A stem has at least this many letters.
    private static let shortestStem = 3

    mutating func append(_ ending: [UInt8], instead: [UInt8]) { endings.append((ending, instead)) }

    /// The stem: the first ending that fits is replaced, then each doubled letter is single.
    func stem(_ word: some Collection<UInt8>) -> [UInt8] {
        var stem = Array(word)
        for (ending, instead) in endings
        where stem.count - ending.count + instead.count >= Self.shortestStem && stem.suffix(ending.count) == ending[...]
        {
            stem.removeLast(ending.count)
            stem += instead
            break
        }
        let single = single(stem)
        return single.count < Self.shortestStem ? stem : single
    }

    /// The word with each doubled letter single.
    func single(_ word: some Collection<UInt8>) -> [UInt8] {
        var single: [UInt8] = []
        for letter in word where letter != single.last { single.append(letter) }
        return single
    }
}
