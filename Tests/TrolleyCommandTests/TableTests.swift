import Testing
import TrolleyJournal

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct TableTests {
    @Test func `wide characters count twice, marks not at all, and what is cut off ends in dots`() {
        #expect("milk".columns == 4 && "牛奶".columns == 4 && "🥛".columns == 2 && "cafe\u{301}".columns == 4)
        #expect("brown bread".fitted(to: 6) == "brown…")
        #expect("牛奶牛奶".fitted(to: 5) == "牛奶…")
        #expect("milk".fitted(to: 0) == "" && "milk".fitted(to: 4) == "milk")
        #expect("a\u{1B}[2Jb".fitted(to: 10) == "a\u{FFFD}[2Jb", "what people write doesn't steer the terminal")
    }

    @Test func `text of people can't control the terminal, and colours stay`() {
        #expect("milk\n\u{1B}[1mbread\u{1B}[0m".printable == "milk\n\u{1B}[1mbread\u{1B}[0m")
        #expect("a\u{1B}[2Jb\u{1B}]52;c;eA==\u{7}".printable == "a\u{FFFD}[2Jb\u{FFFD}]52;c;eA==\u{FFFD}")
        #expect("a\u{1B}".printable == "a\u{FFFD}" && "a\r\nb\u{9B}2J".printable == "a\u{FFFD}\nb\u{FFFD}2J")
        #expect("milk\nbread".inOneLine == "milk\u{FFFD}bread")
    }

    @Test func `columns line up, empty ones are left out, and the long one gives way`() {
        let rows = [["1.", "牛奶", "", "2 l"], ["2.", "a very long name of an item", "", ""]]
        #expect(
            Table(rows, shrinkableColumn: 1).lines(width: 80) == [
                "1.  牛奶                         2 l", "2.  a very long name of an item  ",
            ])
        for width in [10, 20, 30] {
            #expect(Table(rows, shrinkableColumn: 1).lines(width: width).allSatisfy { $0.columns <= width })
        }
    }
}
