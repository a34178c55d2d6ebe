/// Why a command could not do what it was asked; ArgumentParser prints it as it is.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
