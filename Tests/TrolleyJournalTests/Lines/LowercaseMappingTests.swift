import Testing

@testable import TrolleyJournal

@Suite("Lower case", .timeLimit(.minutes(20)))
struct LowercaseMappingTests {
    @Test func `every letter has the lower case that Unicode gives it`() {
        var differing: [String] = []
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            if !text.inLowerCase.hasSameBytes(as: text.lowercased()) { differing.append(String(value, radix: 16)) }
        }
        #expect(differing.isEmpty)
    }

    @Test(arguments: [
        ("Äpfel & ÖL", "äpfel & öl"), ("ΜΉΛΑ", "μήλα"), ("МОЛОКО", "молоко"), ("İSTANBUL", "i\u{307}stanbul"), ("", ""),
        ("2× 🥛 milk", "2× 🥛 milk"),
    ])
    func `texts have a lower case`(text: String, lower: String) { #expect(text.inLowerCase.hasSameBytes(as: lower)) }
}
