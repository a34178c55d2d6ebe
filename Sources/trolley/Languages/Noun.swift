/// What is counted, for one and for several.
struct Noun {
    private let english: (one: String, other: String)
    private let german: (one: String, other: String)

    private init(_ one: String, _ other: String, de german: (one: String, other: String)) {
        (english, self.german) = ((one, other), german)
    }

    /// '1 change', '2 changes'.
    func counted(_ number: some BinaryInteger) -> String {
        "\(number) \(number == 1 ? localized(english.one, de: german.one) : localized(english.other, de: german.other))"
    }
}

extension Noun {
    static let item = Noun("item", "items", de: ("Eintrag", "Einträge"))
    static let newItem = Noun("new item", "new items", de: ("neuer Eintrag", "neue Einträge"))
    static let change = Noun("change", "changes", de: ("Änderung", "Änderungen"))
    static let refusedChange = Noun(
        "refused change", "refused changes", de: ("abgelehnte Änderung", "abgelehnte Änderungen"))
    static let unsentChange = Noun(
        "unsent change", "unsent changes", de: ("nicht gesendete Änderung", "nicht gesendete Änderungen"))
    static let notice = Noun("notice", "notices", de: ("Hinweis", "Hinweise"))
    static let list = Noun("list", "lists", de: ("Liste", "Listen"))
    static let device = Noun("device", "devices", de: ("Gerät", "Geräte"))
    static let otherDevice = Noun("other device", "other devices", de: ("anderes Gerät", "andere Geräte"))
    static let portion = Noun("portion", "portions", de: ("Portion", "Portionen"))
    static let minute = Noun("minute", "minutes", de: ("Minute", "Minuten"))
    static let hour = Noun("hour", "hours", de: ("Stunde", "Stunden"))
    static let day = Noun("day", "days", de: ("Tag", "Tage"))
}
