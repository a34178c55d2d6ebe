import Testing
import TrolleyJournal

@testable import trolley

@Suite struct TableTests {
    @Test func `wide characters count twice, marks not at all, and what is cut off ends in dots`() {
        #expect("milk".columns == 4 && "牛奶".columns == 4 && "🥛".columns == 2 && "cafe\u{301}".columns == 4)
        #expect("brown bread".fitted(to: 6) == "brown…")
        #expect("牛奶牛奶".fitted(to: 5) == "牛奶…")
        #expect("milk".fitted(to: 0) == "" && "milk".fitted(to: 4) == "milk")
        #expect("a\u{1B}[2Jb".fitted(to: 10) == "a\u{FFFD}[2Jb", "what people write doesn't steer the terminal")
    }

    @Test func `columns line up, empty ones are left out, and the long one gives way`() {
        let rows = [["1.", "牛奶", "", "2 l"], ["2.", "a very long name of an item", "", ""]]
        #expect(
            Table(rows, yielding: 1).lines(width: 80) == [
                "1.  牛奶                         2 l", "2.  a very long name of an item  ",
            ])
        for width in [10, 20, 30] {
            #expect(Table(rows, yielding: 1).lines(width: width).allSatisfy { $0.columns <= width })
        }
    }
}
