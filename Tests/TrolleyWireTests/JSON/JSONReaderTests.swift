import Testing

@testable import TrolleyWire

@Suite("JSON reader", .timeLimit(.minutes(20)))
struct JSONReaderTests {
    @Test(
        "reads what RFC 8259 allows",
        arguments: [
            (#"null"#, #"null"#),
            (#" { "a" : [ 1 , true , null ] } "#, #"{"a":[1,true,null]}"#),
            ("\t\r\n[]", "[]"),
            (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#),
            (#""\u00e4\u00E4""#, #""ää""#),
            (#""\ud83e\udd5b""#, #""🥛""#),
            (#""\uD800\uDC00\uDBFF\uDFFF""#, "\"\u{10000}\u{10FFFF}\""),
            (#""\uD7FF\uE000\uFFFF""#, "\"\u{D7FF}\u{E000}\u{FFFF}\""),
            (#""ä🥛""#, #""ä🥛""#),
            ("\"\u{7F}\"", "\"\u{7F}\""),
            (#"[0,-0,10,-1.50,1e5,1E+5,2.5e-10]"#, #"[0,-0,10,-1.50,1e5,1E+5,2.5e-10]"#),
            (#"123456789012345678901234567890"#, #"123456789012345678901234567890"#),
            (#"{"b":1,"a":2,"b":3}"#, #"{"a":2,"b":3}"#),
            (#"{"b":1,"b":2,"a":4,"b":3,"a":5}"#, #"{"a":5,"b":3}"#),
            (#"{"é":1,"e\#u{301}":2}"#, #"{"e\#u{301}":2,"é":1}"#),
            (#"{"":[{}]}"#, #"{"":[{}]}"#),
        ])
    func accepted(json: String, canonical: String) throws {
        let read = try canonicalForm(of: Array(json.utf8))
        #expect(Array(read.utf8) == Array(canonical.utf8), "\(read)")
    }

    @Test(
        "refuses what is not JSON",
        arguments: [
            "", " ", "nul", "True", "nan", "Infinity", "'a'", "a", ",", ":", "]", "}",
            "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[}", "[1}",
            "{", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\":1]", "{\"a\" 1}", "{a:1}",
            "{1:1}", "{,}", "{\"a\":1 \"b\":2}", "{\"a\":1,,\"b\":2}",
            "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x10", "-a", "1.e5",
            "1 2", "null null", "[] []", "{}x", "\u{FEFF}1",
            "\"", "\"\\\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u+123\"", "\"\\u-123\"", "\"\n\"",
            "\"\u{1F}\"", "\"\\n\u{1F}\"",
            "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\udc00\\ud800\"",
            "\u{0}", "[1\u{0}]", "\"\u{0}\"", "{}\u{0}",
        ])
    func malformed(json: String) {
        #expect { try canonicalForm(of: Array(json.utf8)) } throws: { error in
            if case WireError.malformed = error { true } else { false }
        }
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0xFF], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for string in [[quote] + bytes + [quote], [quote] + Array(#"\n"#.utf8) + bytes + [quote]] {
            for json in [string, Array("{".utf8) + string + Array(":1}".utf8)] {
                #expect { try canonicalForm(of: json) } throws: { error in
                    if case WireError.malformed(let reason, _) = error { reason.contains("UTF-8") } else { false }
                }
            }
        }
    }

    @Test(
        "refuses U+0000, which PostgreSQL's text can't hold",
        arguments: [#""\u0000""#, #"["a\u0000b"]"#, #"{"\u0000":1}"#, #"{"a":{"b":["\u0000"]}}"#])
    func nul(json: String) {
        #expect { try canonicalForm(of: Array(json.utf8)) } throws: { error in
            if case WireError.invalid(let what) = error { what.contains("U+0000") } else { false }
        }
    }

    @Test("reads 32 levels and refuses the 33rd", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            let inner = open == "[" ? "" : "1"
            return Array((String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)).utf8)
        }
        _ = try canonicalForm(of: nested(32))
        #expect(throws: WireError.self) { try canonicalForm(of: nested(33)) }
        // Far deeper than any stack allows.
        #expect(throws: WireError.self) { try canonicalForm(of: nested(500_000)) }
    }

    @Test("depth is how deep, not how many")
    func siblings() throws {
        let json = "[" + Array(repeating: "[[]]", count: 1000).joined(separator: ",") + "]"
        #expect(try canonicalForm(of: Array(json.utf8)) == json)
    }

    @Test(
        "a whole number is what fits 64 bits, without fraction and exponent",
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("12 ", 12),
        ] as [(String, Int64)])
    func integers(json: String, value: Int64) throws {
        #expect(try JSONReader.read(Array(json.utf8)) { reader throws(WireError) in try reader.integer() } == value)
    }

    @Test(
        "anything else is no whole number",
        arguments: ["9223372036854775808", "1.0", "1e2", "\"1\"", "true", "null", "[]", "{}"])
    func noIntegers(json: String) {
        #expect { try JSONReader.read(Array(json.utf8)) { reader throws(WireError) in try reader.integer() } } throws: {
            if case WireError.invalid = $0 { true } else { false }
        }
    }

    @Test("says at which byte the message goes wrong")
    func offset() {
        #expect(throws: WireError.malformed(reason: "expected ',' or the end", offset: 6)) {
            try canonicalForm(of: Array("[1, 2 3]".utf8))
        }
        #expect(throws: WireError.malformed(reason: "something follows the value", offset: 3)) {
            try canonicalForm(of: Array("{} x".utf8))
        }
    }

    @Test("an object of very many keys is put in order")
    func manyKeys() throws {
        // In quadratic time this would take minutes.
        let count = 20_000
        let members = (0..<count).map { #""\#(($0 * 7919) % count + 100_000)":\#($0)"# }
        let read = try canonicalForm(of: Array("{\(members.joined(separator: ","))}".utf8))
        #expect(read.hasPrefix(#"{"100000":0,"100001":"#))
    }
}

/// A message as the reader reads it: without white space, with sorted keys.
func canonicalForm(of json: [UInt8]) throws(WireError) -> String {
    try JSONReader.read(json) { reader throws(WireError) in
        var writer = JSONWriter()
        try reader.copyCanonically(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
