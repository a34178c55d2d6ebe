import ArgumentParser

/// The form of a command's answer.
struct AnswerOptions: ParsableArguments {
    @Flag(help: "Answer with one JSON document.")
    var json = false

    mutating func validate() throws { json = try Settings().isOn(json, "json") }
}
