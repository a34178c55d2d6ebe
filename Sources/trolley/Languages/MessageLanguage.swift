/// The language in which the program speaks with a person: of help, answers, questions and errors.
enum MessageLanguage: Hashable, CaseIterable {
    case english
    case german

    /// The language of everything that is said while a command runs. ``Trolley/main()`` sets it, once; it is task-local, and not
    /// a constant, so that tests can compare both languages in one process.
    @TaskLocal static var current = MessageLanguage.english

    /// The language of a system's locale, such as `de_CH.UTF-8`. English, unless that is German.
    init(locale: String) { self = Language.code(ofLocale: locale) == "de" ? .german : .english }
}
