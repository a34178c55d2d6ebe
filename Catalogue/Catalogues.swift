public import TrolleyJournal

/// The catalogues that are in the program: the `….txt` files beside this one, embedded at build time. Each is read when it is
/// first used, which takes some milliseconds.
public enum Catalogues {
    /// The languages that there are, by their codes.
    public static let languages = ["de", "en", "es", "fr", "it", "nl"]

    /// The catalogue of a language; nil where there is none.
    /// - Parameter language: one of ``languages``.
    public static func catalogue(for language: String) -> Catalogue? {
        switch language {
        case "de": german
        case "en": english
        case "es": spanish
        case "fr": french
        case "it": italian
        case "nl": dutch
        default: nil
        }
    }

    /// The names of the aisles in each language, without reading the catalogues.
    package static let aisleNames: [(language: String, aisles: [String])] = languages.map { language in
        (language, Catalogue.aisleNames(in: data(of: language)))
    }

    /// A language's table, in UTF-8; empty where there is none.
    package static func data(of language: String) -> [UInt8] {
        switch language {
        case "de": PackageResources.de_txt
        case "en": PackageResources.en_txt
        case "es": PackageResources.es_txt
        case "fr": PackageResources.fr_txt
        case "it": PackageResources.it_txt
        case "nl": PackageResources.nl_txt
        default: []
        }
    }

    private static let german = Catalogue(PackageResources.de_txt)
    private static let english = Catalogue(PackageResources.en_txt)
    private static let spanish = Catalogue(PackageResources.es_txt)
    private static let french = Catalogue(PackageResources.fr_txt)
    private static let italian = Catalogue(PackageResources.it_txt)
    private static let dutch = Catalogue(PackageResources.nl_txt)
}
