/// The units of recipes in English, German, French, Spanish, Italian and Dutch.
enum IngredientUnits {
    enum Kind {
        /// Of weight, volume or length.
        case measure
        /// A thing that is sold or counted: `can`, `clove`.
        case thing
        /// A thing with a size of its own: `400 g can`.
        case container
        /// So little that no number is needed: `pinch`.
        case pinch
    }

    /// A unit at the start of some text.
    /// - Returns: its kind and the bytes after it. A full stop and `(s)` belong to the unit.
    static func unit(_ bytes: ArraySlice<UInt8>) -> (kind: Kind, rest: ArraySlice<UInt8>)? {
        var found: (kind: Kind, rest: ArraySlice<UInt8>)?
        guard let first = bytes.first.map({ $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }) else { return nil }
        for (kind, words) in table {
            for word in words where word.utf8.first == first {
                guard let rest = bytes.end(of: word), rest.startIndex > found?.rest.startIndex ?? 0 else { continue }
                found = (kind, rest)
            }
        }
        guard let kind = found?.kind, var rest = found?.rest else { return nil }
        for plural in ["(s)", "(n)", "(en)", "(e)", "(x)", "(es)"] where rest.starts(with: plural) {
            rest = rest.dropFirst(plural.utf8.count)
            break
        }
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() }
        // `c`, of `c.à.s.`, is no unit before a letter.
        if let next = rest.first, next.isLetter, rest.leadingSpace == 0 { return nil }
        return (kind, rest)
    }

    /// Adjectives of units: `1 heaped tbsp`, `1 small bunch`.
    static func adjective(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        for word in adjectives {
            guard var rest = bytes.end(of: word) else { continue }
            if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() }
            if rest.leadingSpace > 0 { return rest.dropFirst(rest.leadingSpace) }
        }
        return nil
    }

    private static let table: [(Kind, [String])] = [
        (.measure, measures), (.thing, things), (.container, containers), (.pinch, pinches),
    ]

    private static let adjectives = [
        "heaped", "heaping", "rounded", "level", "scant", "generous", "good", "large", "small", "medium", "big",
        "thick",
        "thin", "gehäufte", "gehäufter", "gehäuften", "gestrichene", "gestrichener", "gestr", "geh", "kleine",
        "kleiner",
        "kleines", "große", "großer", "großes", "dicke", "dünne", "petit", "petite", "petits", "petites", "grand",
        "grande",
        "grands", "grandes", "grosse", "gros", "bonne", "belle", "pequeño", "pequeña", "gran", "piccolo", "piccola",
        "grosso", "grossa", "abbondante", "klein", "groot", "grote", "flinke", "volle", "afgestreken",
    ]

    private static let measures = [
        // Metric.
        "kilograms", "kilogram", "kilogramme", "kilogrammes", "kilos", "kilo", "kg", "grams", "gram", "grammes",
        "gramme",
        "gramm", "gramos", "gramo", "grammi", "grammo", "gr", "gm", "gms", "g", "mg", "milligrams", "etti", "etto",
        "hg", "ons", "pond",
        "pfund", "pfd", "litres", "litre", "liters", "liter", "litros", "litro", "litri", "l", "ml", "cl", "dl", "cc",
        "millilitres", "millilitre", "milliliters", "milliliter", "mililitros", "millilitri", "centilitres",
        "centiliter",
        "centilitri", "deciliter", "décilitres", "decilitri", "cm", "mm", "centimetre", "centimeter",
        // Of English and American kitchens.
        "cups", "cup", "c", "tablespoons", "tablespoon", "tbsps", "tbsp", "tbs", "tb", "tbl", "t", "teaspoons",
        "teaspoon",
        "tsps", "tsp", "dessertspoons", "dessertspoon", "ounces", "ounce", "oz", "fluid ounces", "fluid ounce", "fl oz",
        "fl. oz", "fl.oz", "pounds", "pound", "lbs", "lb", "pints", "pint", "pt", "quarts", "quart", "qt", "gallons",
        "gallon", "gal", "inches", "inch", "dozen", "count", "pcs", "pc",
        // German.
        "esslöffel", "eßlöffel", "essl", "teel", "el", "teelöffel", "tl", "kaffeelöffel", "tassen", "tasse", "dutzend",
        // French.
        "cuillères à soupe", "cuillère à soupe", "cuilleres à soupe", "cuillerées à soupe", "cuillerée à soupe",
        "cuillères à café", "cuillère à café", "cuillerées à café", "cuillerée à café", "cuillères à thé",
        "cuillère à thé", "cuil. à soupe", "cuil. à café", "cuil à soupe", "cuil à café", "c. à soupe", "c. à café",
        "c. à thé", "c. à table", "c à soupe", "c à café", "c à s", "c à c", "c. à s", "c. à c", "c.à.s", "c.à.c",
        "c.à soupe", "c.à café", "c.s", "c.c", "c. s", "c. c", "càs", "càc", "cas", "cs", "cuillères", "cuillère",
        "tasses", "verres", "verre",
        // Spanish.
        "cucharadas soperas", "cucharada sopera", "cucharadas", "cucharada", "cucharaditas", "cucharadita", "cdas",
        "cda",
        "cdtas", "cdta", "cditas", "cdita", "tazas", "taza", "vasos", "vaso", "docena",
        // Italian.
        "cucchiai", "cucchiaio", "cucchiaini", "cucchiaino", "tazze", "tazza", "tazzina", "bicchieri", "bicchiere",
        // Dutch.
        "eetlepels", "eetlepel", "theelepels", "theelepel", "koffielepels", "koffielepel", "kopjes", "kopje",
    ]

    private static let containers = [
        "cans", "can", "tins", "tin", "jars", "jar", "packets", "packet", "packs", "pack", "packages", "package",
        "pkgs",
        "pkg", "pouches", "pouch", "cartons", "carton", "bags", "bag", "boxes", "box", "tubs", "tub", "tubes", "tube",
        "bottles", "bottle", "containers", "container", "envelopes", "envelope", "sachets", "sachet", "blocks", "block",
        "dosen", "dose", "gläser", "glas", "becher", "packungen", "packung", "päckchen", "packerl", "pck", "pkt", "pk",
        "beutel", "tüten", "tüte", "flaschen", "flasche", "würfel", "tafeln", "tafel", "tube", "tuben", "boîtes",
        "boîte",
        "boites", "boite", "bocaux", "bocal", "pots", "pot", "bouteilles", "bouteille", "briques", "brique", "paquets",
        "paquet", "barquettes", "barquette", "tablettes", "tablette", "latas", "lata", "botes", "bote", "frascos",
        "frasco",
        "tarros", "tarro", "botellas", "botella", "sobres", "sobre", "paquetes", "paquete", "bolsas", "bolsa", "briks",
        "brik", "lattine", "lattina", "barattoli", "barattolo", "scatole", "scatola", "vasetti", "vasetto", "bottiglie",
        "bottiglia", "buste", "busta", "bustine", "bustina", "confezioni", "confezione", "pacchetti", "pacchetto",
        "pacco",
        "blikken", "blik", "blikjes", "blikje", "potten", "potjes", "potje", "flessen", "fles", "pakken", "pak",
        "pakjes",
        "pakje", "zakken", "zak", "zakjes", "zakje", "bakjes", "bakje", "doosjes", "doosje",
    ]

    private static let things = [
        "bunches", "bunch", "cloves", "clove", "heads", "head", "loaves", "loaf", "pieces", "piece", "slices", "slice",
        "sprigs", "sprig", "stalks", "stalk", "sticks", "stick", "ribs", "rib", "sheets", "sheet", "leaves", "leaf",
        "cubes", "cube", "strips", "strip", "ears", "ear", "knobs", "knob", "scoops", "scoop", "drops", "drop",
        "fillets",
        "fillet", "rashers", "rasher", "bulbs", "bulb", "bund", "bd", "topf", "stück", "stücke", "stk", "st",
        "scheiben", "scheibe",
        "zehen", "zehe", "zweige", "zweig", "stangen", "stange", "stiele", "stiel", "stängel", "blätter", "blatt",
        "köpfe",
        "kopf", "knollen", "knolle", "kugeln", "kugel", "tropfen", "bündel", "gousses", "gousse", "bottes", "botte",
        "bouquets", "bouquet", "tranches", "tranche", "morceaux", "morceau", "feuilles", "feuille", "branches",
        "branche",
        "brins", "brin", "tiges", "tige", "gouttes", "goutte", "unités", "unité", "pièces", "pièce", "noix", "filet",
        "dientes", "diente", "manojos", "manojo", "ramitas", "ramita", "ramas", "rama", "rebanadas", "rebanada",
        "lonchas",
        "loncha", "rodajas", "rodaja", "trozos", "trozo", "hojas", "hoja", "gotas", "gota", "unidades", "unidad",
        "piezas",
        "pieza", "chorros", "spicchi", "spicchio", "mazzi", "mazzo", "mazzetti", "mazzetto", "fette", "fetta", "pezzi",
        "pezzo", "foglie", "foglia", "rametti", "rametto", "coste", "costa", "gambi", "gambo", "gocce", "goccia",
        "ciuffi",
        "ciuffo", "bossen", "bos", "bosjes", "bosje", "tenen", "teen", "teentjes", "teentje", "plakken", "plak",
        "plakjes",
        "plakje", "stuks", "stuk", "stukken", "stukjes", "stukje", "blaadjes", "blaadje", "takjes", "takje", "takken",
        "tak", "stengels", "stengel", "stronken", "stronk", "kroppen", "krop", "druppels", "druppel", "klontjes",
        "klontje", "schijfjes", "schijfje", "rol", "rollen", "blokjes", "blokje", "pastillas", "pastilla", "grappolo",
        "grappoli", "grains", "grain",
    ]

    private static let pinches = [
        "pinches", "pinch", "dashes", "dash", "handfuls", "handful", "splashes", "splash", "drizzle", "glug", "prisen",
        "prise", "messerspitzen", "messerspitze", "msp", "handvoll", "schuss", "spritzer", "pincées", "pincée",
        "poignées",
        "poignée", "pizcas", "pizca", "puñados", "puñado", "chorrito", "chorro", "pizzichi", "pizzico", "manciate",
        "manciata", "filo", "q.b", "qb", "snufjes", "snufje", "snuf", "snuifje", "mespuntje", "mespunt", "handvol",
        "handjes", "handje", "scheutje", "scheut",
    ]
}
