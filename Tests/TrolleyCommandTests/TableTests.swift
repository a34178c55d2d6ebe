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

    @Test func `text of people can't control the terminal, and our styles stay`() {
        var terminal = Terminal()
        terminal.showsColours = true
        let mine = "\(terminal.bold("milk\u{1B}[8m"))  2 to buy\n\(terminal.struck("\u{301}bread"))"
        #expect(
            Terminal.rendered(mine)
                == "\u{1B}[1mmilk\u{FFFD}[8m\u{1B}[0m  2 to buy\n\u{1B}[2;9m\u{301}bread\u{1B}[0m")
        // What others wrote is no style, even if it looks like one.
        for text in ["\u{1B}[8mhidden", "\u{1B}[1mbread\u{1B}[0m", "\u{1B}12345;1\u{1B}bread"] {
            #expect(!Terminal.rendered("\(text) \(terminal.dim("x"))").hasPrefix("\u{1B}"), "\(text)")
        }
        terminal.showsColours = false
        #expect(Terminal.rendered(terminal.bold("milk")) == "milk")
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
