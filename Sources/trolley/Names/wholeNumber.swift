import ArgumentParser

/// Parses an option's whole number. The error gives an example.
func wholeNumber(_ text: String, from least: Int, suchAs example: Int) throws(ValidationError) -> Int {
    guard let number = Int(text), number >= least else {
        throw ValidationError(
            localized(
                "Give a whole number from \(least) on, such as \(example).",
                de: "Gib eine ganze Zahl ab \(least) an, wie \(example)."))
    }
    return number
}
