/// A quantity at the start of some text, as recipes write it: `400 g`, `2-3`, `1 ½ cups`, `2 (14 oz) cans`, `2 x 400 g`,
/// `a pinch`, `½ cup (113 grams)`, `200g/7oz`.
struct IngredientQuantity {
    /// The bytes after the quantity.
    private(set) var rest: ArraySlice<UInt8>
    /// Whether there is more than a number.
    private(set) var hasUnit = false
    /// The numbers that depend on the portions, with the bytes that they take. The sizes of things, as in `2 (14 oz) cans`, don't.
    private(set) var numbers: [(value: IngredientNumber, range: Range<Int>)] = []
    /// Whether it is the size of a thing, and the thing: `400 g can`.
    private var hasThing = false
    /// Where the text begins if nothing but the bare number is the quantity: `2 cloves` may be the spice.
    private(set) var bare: (rest: ArraySlice<UInt8>, end: Int)?
    /// Where the quantity ends; white space and a times sign may follow.
    private(set) var end: Int

    private static let approximations = [
        "ca.", "ca", "circa", "approx.", "approx", "approximately", "about", "around", "roughly", "etwa", "environ",
        "env.", "ongeveer", "aprox.", "unos", "unas", "scant", "generous", "heaping", "heaped", "gut", "knapp", "max.",
        "rund",
    ]
    private static let articles = [
        "an", "a", "one", "eine", "einen", "einer", "ein", "une", "un", "una", "uno", "een",
    ]
    private static let halves = [
        "half a", "half an", "half", "eine halbe", "einen halben", "ein halbes", "halbe", "halber", "halbes",
        "une demi",
        "demi", "demie", "media", "medio", "mezza", "mezzo", "halve", "een halve", "een half",
    ]
    private static let numberWords = [
        ("2", ["two", "zwei", "deux", "dos", "due", "twee"]), ("3", ["three", "drei", "trois", "tres", "tre", "drie"]),
        ("4", ["four", "vier", "quatre", "cuatro", "quattro"]),
        ("5", ["five", "fünf", "cinq", "cinco", "cinque", "vijf"]),
        ("6", ["six", "sechs", "seis", "sei", "zes"]), ("8", ["eight", "acht", "huit", "ocho", "otto"]),
        ("10", ["ten", "zehn", "dix", "diez", "dieci", "tien"]),
        ("12", ["twelve", "zwölf", "douze", "doce", "dodici"]),
    ]
    /// Quantities without a number, before a unit or a name.
    private static let someWords = [
        "etwas", "some", "a few", "a little", "ein paar", "ein wenig", "einige", "un peu de", "un peu d", "quelques",
        "un poco de", "unas", "unos", "algunas", "algunos", "un po' di", "un po’ di", "qualche", "alcune", "alcuni",
        "wat",
        "enkele", "een paar", "een beetje",
    ]
    private static let rangeWords = ["to", "bis", "à", "a", "tot", "o", "or", "oder", "ou", "of"]
    private static let rangeSigns = ["-", "–", "—", "~", "/"]
    private static let additions = ["plus", "+", "/", "|", "=", "–", "und", "and", "et", "more"]
    private static let sizes = ["de", "of", "à", "a", "von", "van", "da", "di"]
    /// Between a number and its unit: `1/4 de botte`.
    private static let connectives = ["d'", "d’", "de", "di", "of a", "of"]

    /// - Parameter bytes: begins with the quantity.
    init?(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
        end = bytes.startIndex
        if takePinch() || takeSome() { return }
        for word in Self.approximations {
            guard let after = rest.end(of: word), after.leadingSpace > 0 else { continue }
            rest = after.droppingSpace
            break
        }
        guard takeHalf() || takeArticle() || takeNumberWord() || takeNumbers() else { return nil }
        end = max(end, rest.startIndex)
        takeMore()
    }

    /// `pinch of salt`, `q.b. sale`: a quantity without a number.
    private mutating func takePinch() -> Bool {
        guard let unit = IngredientUnits.unit(rest), unit.kind == .pinch, unit.rest.leadingSpace > 0 else {
            return false
        }
        (rest, end, hasUnit) = (unit.rest, unit.rest.startIndex, true)
        return true
    }

    /// `etwas`, `unas hojas`: a quantity without a number, with its unit.
    private mutating func takeSome() -> Bool {
        guard let after = rest.end(ofAny: Self.someWords), after.leadingSpace > 0 else {
            return false
        }
        (rest, end, hasUnit) = (after, after.startIndex, true)
        if let unit = IngredientUnits.unit(rest.droppingSpace), unit.kind != .measure,
            unit.rest.contains(where: { $0.isLetter })
        {
            bare = (rest, end)
            (rest, end) = (unit.rest, unit.rest.startIndex)
        }
        return true
    }

    /// `half a`, `mezza`; not of `half-and-half`.
    private mutating func takeHalf() -> Bool {
        guard let after = rest.end(ofAny: Self.halves), after.leadingSpace > 0 || after.isEmpty,
            after.droppingSpace.end(of: "and") == nil, after.droppingSpace.end(of: "&") == nil,
            let half = IngredientNumber(Array("½".utf8)[...])
        else { return false }
        numbers.append((half, rest.startIndex..<after.startIndex))
        rest = after
        return true
    }

    /// `a pinch`, `eine kleine Dose`: an article is a number if a unit follows.
    private mutating func takeArticle() -> Bool {
        for article in Self.articles {
            guard let after = rest.end(of: article), after.leadingSpace > 0 else { continue }
            let next = after.droppingSpace
            // `one 15-ounce can`
            guard IngredientUnits.unit(IngredientUnits.adjective(next) ?? next) != nil || IngredientNumber(next) != nil,
                let one = IngredientNumber([UInt8(ascii: "1")])
            else { return false }
            numbers.append((one, rest.startIndex..<after.startIndex))
            rest = after
            return true
        }
        return false
    }

    /// `two`, `drei`.
    private mutating func takeNumberWord() -> Bool {
        for (number, words) in Self.numberWords {
            guard let after = rest.end(ofAny: words), after.leadingSpace > 0 || after.isEmpty,
                let value = IngredientNumber(Array(number.utf8)[...])
            else { continue }
            numbers.append((value, rest.startIndex..<after.startIndex))
            rest = after
            return true
        }
        return false
    }

    /// `2`, `2-3`, `2 to 3`, `2 x`.
    private mutating func takeNumbers() -> Bool {
        guard let first = takeNumber() else { return false }
        let sign = rest.droppingSpace
        var second: ArraySlice<UInt8>?
        if let dash = Self.rangeSigns.first(where: { sign.starts(with: $0) }) {
            second = sign.dropFirst(dash.utf8.count)
        }
        if second == nil, rest.leadingSpace > 0 {
            second = sign.end(ofAny: Self.rangeWords)
        }
        guard let second = second?.droppingSpace, let number = IngredientNumber(second), first.value < number.value
        else {
            return true
        }
        rest = second
        _ = takeNumber()
        return true
    }

    private mutating func takeNumber() -> IngredientNumber? {
        guard let number = IngredientNumber(rest) else { return nil }
        let after = rest.dropFirst(number.length)
        numbers.append((number, rest.startIndex..<after.startIndex))
        rest = after
        return number
    }

    /// What follows the numbers: a unit, the size of each thing, another measure of the same.
    private mutating func takeMore() {
        if let times = Amount.times(rest) {
            let after = rest.dropFirst(times.length).droppingSpace
            if IngredientNumber(after) != nil, let size = IngredientQuantity(after), size.hasUnit {
                (rest, end, hasUnit) = (size.rest, size.end, true)
            } else if after.startIndex > rest.startIndex + times.length || !times.isLetter {
                rest = after
            }
            return
        }
        let before = (rest, end)
        if takeUnit() {
            bare = before
            takeOtherMeasures()
        } else if let size = sizeOfEach {
            (rest, end, hasUnit) = (size, size.startIndex, true)
            _ = takeUnit()
        }
    }

    /// `g`, `-inch`, ` heaped tbsp`, ` de botte`; then a container or piece of that size, `400 g can`, `3 cm piece`.
    private mutating func takeUnit() -> Bool {
        var next = rest.first == UInt8(ascii: "-") ? rest.dropFirst() : rest.droppingSpace
        if IngredientUnits.unit(next) == nil,
            let word = next.end(ofAny: Self.connectives), rest.leadingSpace > 0
        {
            next = word.droppingSpace
        }
        if let after = IngredientUnits.adjective(next), IngredientUnits.unit(after) != nil { next = after }
        guard let unit = IngredientUnits.unit(next) else { return false }
        (rest, end, hasUnit) = (unit.rest, unit.rest.startIndex, true)
        guard unit.kind == .measure, rest.leadingSpace > 0 || rest.first == UInt8(ascii: "-") else { return true }
        let thing = rest.first == UInt8(ascii: "-") ? rest.dropFirst() : rest.droppingSpace
        if let more = IngredientUnits.unit(thing), more.kind == .container || more.kind == .thing,
            more.rest.contains(where: { $0.isLetter })
        {
            // `200 g filet mignon` is a name, `200 g can` isn't.
            let isLength = next.end(of: "cm") != nil || next.end(of: "inch") != nil || next.end(of: "mm") != nil
            if more.kind == .container || isLength {
                (rest, end, hasThing) = (more.rest, more.rest.startIndex, true)
            }
        }
        return true
    }

    /// `(14 oz)` or `14-ounce` between a number and a thing: the bytes after it.
    private var sizeOfEach: ArraySlice<UInt8>? {
        guard rest.leadingSpace > 0 else { return nil }
        let next = rest.droppingSpace
        if let bracket = Self.bracket(next) { return bracket }
        guard IngredientNumber(next) != nil, let size = IngredientQuantity(next), size.hasUnit,
            size.end > next.startIndex,
            size.hasThing || IngredientUnits.unit(size.rest.droppingSpace).map({ $0.kind != .measure }) == true
        else { return nil }
        return size.rest
    }

    /// `(113 grams)`, `/7oz`, `plus 1 tsp`: the same again, or more.
    private mutating func takeOtherMeasures() {
        for _ in 0..<3 {
            let next = rest.droppingSpace
            if let after = Self.bracket(next) {
                numbers += Self.numbers(in: next[next.startIndex..<after.startIndex])
                (rest, end) = (after, after.startIndex)
                // `1 cup (240 ml) can`? No: a thing comes before its measure.
                continue
            }
            // The size of the thing: `1 sachet de 50 g`.
            if let size = next.end(ofAny: Self.sizes)?.droppingSpace, IngredientNumber(size) != nil,
                let each = IngredientQuantity(size), each.hasUnit
            {
                (rest, end) = (each.rest, each.end)
                continue
            }
            // `1 lb 10 oz` has no word between them.
            guard let word = Self.addition(in: next) ?? (rest.leadingSpace > 0 ? next : nil),
                IngredientNumber(word.droppingSpace) != nil, let more = IngredientQuantity(word.droppingSpace),
                more.hasUnit
            else { return }
            numbers += more.numbers
            (rest, end) = (more.rest, more.end)
        }
    }

    /// The bytes after a word or sign that adds to a quantity.
    private static func addition(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for word in additions {
            let isWord = word.utf8.first?.isLetter == true && word.utf8.first ?? 0 < 0x80
            if isWord, let after = bytes.end(of: word) { return after }
            if !isWord, bytes.starts(with: word) { return bytes.dropFirst(word.utf8.count) }
        }
        return nil
    }

    /// The bytes after brackets that contain nothing but a quantity with a unit.
    private static func bracket(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.first == UInt8(ascii: "("), let close = bytes.firstIndex(of: UInt8(ascii: ")")) else { return nil }
        let inside = bytes[(bytes.startIndex + 1)..<close].trimmed
        guard inside.first != UInt8(ascii: "("), let quantity = IngredientQuantity(inside), quantity.hasUnit,
            !quantity.numbers.isEmpty, quantity.rest.trimmed.isEmpty || quantity.rest.trimmed.end(of: "each") != nil
        else { return nil }
        return bytes[(close + 1)...]
    }

    private static func numbers(in bracket: ArraySlice<UInt8>) -> [(value: IngredientNumber, range: Range<Int>)] {
        let inside = bracket.dropFirst().dropLast().trimmed
        return IngredientQuantity(inside)?.numbers ?? []
    }
}

extension ArraySlice<UInt8> {
    /// The bytes after the first of these words with which they begin, in upper or lower case.
    func end(ofAny words: [String]) -> ArraySlice<UInt8>? {
        for word in words {
            if let end = end(of: word) { return end }
        }
        return nil
    }
}
