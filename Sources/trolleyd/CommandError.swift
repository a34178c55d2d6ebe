/// A command's error. ArgumentParser prints the description unchanged.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
