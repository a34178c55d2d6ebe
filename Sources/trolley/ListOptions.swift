import ArgumentParser

struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            localized(
                "The list to use instead of the current one, by name or id. [environment: TROLLEY_LIST]",
                de: "Die Liste, statt der aktuellen, mit Namen oder Kennung. [Umgebung: TROLLEY_LIST]")),
        completion: .lists)
    var list: String?

    /// The name in the option or in the environment; nil: the current list is meant.
    var name: String? {
        get throws { try list ?? Settings().list }
    }

    init() {}

    init(list: String?) { self.list = list }
}
