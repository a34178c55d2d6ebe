import ArgumentParser

struct ListOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The list to use instead of the current one, by name or id. [environment: TROLLEY_LIST]"),
        completion: .lists)
    var list: String?

    init() {}

    init(list: String?) { self.list = list }
}
