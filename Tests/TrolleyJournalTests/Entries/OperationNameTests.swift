import Testing
import TrolleyJournal

@Suite("The name of an unknown operation", .timeLimit(.minutes(20)))
struct OperationNameTests {
    @Test(arguments: ["a", "abc", "schenken", "0123456789abcdef", "élan", "🧀🧀🧀🧀"])
    func `1 to 16 bytes come back as they were`(name: String) {
        #expect(OperationName(name)?.text == name)
        #expect(OperationName(name) == OperationName(name))
        #expect(OperationName(name) != OperationName("b"))
    }

    @Test(arguments: ["", "0123456789abcdefg", "🧀🧀🧀🧀a", "a\0b", "\0", "ab\0"])
    func `an empty or longer name, or one with a NUL, is none`(name: String) { #expect(OperationName(name) == nil) }
}
