import Testing

@testable import trolleyd

/// Files of settings, as systemd reads them (`EnvironmentFile=` in systemd.exec(5)).
@Suite(.timeLimit(.minutes(20))) struct EnvironmentFileTests {
    private func parsed(_ text: String) throws -> EnvironmentFile { try EnvironmentFile(text, of: "trolleyd.env") }

    @Test func `a value is read as systemd reads it`() throws {
        for (written, value) in [
            ("msmtp -t  ", "msmtp -t"), ("  x", "x"), (#""a \"b\" \$c \d""#, #"a "b" $c \d"#), ("'it''s'", "its"),
            (#"'a\b'"#, #"a\b"#), (#"a\ b\ "#, "a b "), (#"a"b"#, #"a"b"#), (#""a" 'b'c # d"#, "abc # d"),
            ("x=y", "x=y"), ("\"two\nlines\"", "two\nlines"), ("two\\\nlines", "twolines"),
        ] {
            #expect(try parsed("TROLLEY_X=\(written)\n")["TROLLEY_X"] == value, "\(written)")
        }
        #expect(try parsed("TROLLEY_X=\n")["TROLLEY_X"] == nil)
        #expect(try parsed("TROLLEY_X=1\nTROLLEY_X=\n")["TROLLEY_X"] == nil, "the last one counts")
        #expect(try parsed("#TROLLEY_X=1\n; TROLLEY_X=2\n \nTROLLEY_XX=3")["TROLLEY_X"] == nil)
        #expect(try parsed("  TROLLEY_X = 1\r\nTROLLEY_Y=2\r\n")["TROLLEY_X"] == "1")
    }

    @Test func `what is written is read as the same`() throws {
        for value in ["msmtp -t --file=\"$HOME\"", #"\ ' " ` $"#, "a\nb", "100%", "Trolley <lists@example.com>", "ü"] {
            var file = try parsed("")
            file.set("TROLLEY_X", to: value)
            #expect(try parsed(file.text)["TROLLEY_X"] == value, "\(value)")
        }
    }

    @Test func `a value of several lines is replaced, and commented out, as a whole`() throws {
        let text = "TROLLEY_X=\"one\ntwo\"\nTROLLEY_Y=1\n"
        var file = try parsed(text)
        file.set("TROLLEY_X", to: "one\ntwo")
        #expect(file.text == text, "the same again changes nothing")
        file.set("TROLLEY_X", to: nil)
        #expect(file.text == "#TROLLEY_X=\"one\n#two\"\nTROLLEY_Y=1\n")
        file = try parsed(text)
        file.set("TROLLEY_X", to: "three")
        #expect(file.text == "TROLLEY_X=three\nTROLLEY_Y=1\n")
    }

    @Test func `a setting that is set to nothing stays, because it overrides the unit's value`() throws {
        var file = try parsed("TROLLEY_X=1\nTROLLEY_X=\n")
        file.set("TROLLEY_X", to: nil)
        #expect(file.text == "#TROLLEY_X=1\nTROLLEY_X=\n")
        file.set("TROLLEY_X", to: "2")
        #expect(file.text == "#TROLLEY_X=1\nTROLLEY_X=2\n")
    }

    @Test func `a value without an end is refused, with its name and line`() {
        for text in ["TROLLEY_A=1\nTROLLEY_X=\"one\nTROLLEY_Y=1\n", "# x\nTROLLEY_X='one", "\nTROLLEY_X=one\\\n"] {
            let error = #expect(throws: CommandError.self, "\(text)") { try parsed(text) }
            #expect(error?.description.contains("TROLLEY_X in line 2 of trolleyd.env") == true)
        }
    }
}
