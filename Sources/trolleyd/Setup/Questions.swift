import ArgumentParser
import TrolleyWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Questions to a person at a terminal.
struct Questions {
    /// False: each answer is a flag's, the present one or the usual one.
    let isAsking: Bool
    /// The next line that the person has typed; nil: the input has ended.
    var nextLine: () -> String? = { readLine() }

    /// A setting's value in the file of settings.
    struct Present {
        let setting: String
        let value: String
    }

    /// Asks for an answer. The person is asked again until `read` accepts it.
    /// - Parameters:
    ///   - question: what is asked, without the default.
    ///   - given: the answer by a flag; then nothing is asked.
    ///   - present: the setting's present value, which is the default; nil: there is none.
    ///   - usual: the default without a present value that can be used.
    ///   - read: reads an answer. It throws a `ValidationError` for one that can't be used.
    /// - Throws: `ValidationError` for a flag that can't be used, `CommandError` when the input has ended, and for a
    ///   present value that can't be used when nobody can be asked.
    func ask<Answer>(
        _ question: String, given: String?, present: Present?, usual: String, _ read: (String) throws -> Answer
    ) throws -> Answer {
        if let given { return try read(given) }
        var usual = usual
        if let present {
            do {
                let answer = try read(present.value)
                if !isAsking { return answer }
                usual = present.value
            } catch let error as ValidationError {
                let problem = "The present \(present.setting) can't be used: \(error.message)"
                guard isAsking else { throw CommandError("\(problem) Give another value by its flag.") }
                warn(problem)
            }
        }
        guard isAsking else { return try read(usual) }
        while true {
            print("\(question)\(usual.isEmpty ? "" : " [\(usual)]") ".printable, terminator: "")
            fflush(nil)
            guard let line = nextLine() else { throw CommandError("The input has ended; nothing was changed.") }
            let text = line.trimmingSpaces
            do { return try read(text.isEmpty ? usual : text) } catch let error as ValidationError {
                warn(error.message)
            }
        }
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
