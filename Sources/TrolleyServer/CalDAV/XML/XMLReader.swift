/// Reads the body of a WebDAV request: XML 1.0 with namespaces, in UTF-8, without a document type.
///
/// A parser of our own, because clients send some twenty small, plain elements, and the alternative, libxml2, is a C library
/// of 190,000 lines whose hardening is the caller's task (decision 3202). What isn't needed is refused: document types (so no
/// entities but the five predefined ones), other encodings, deep and large trees.
struct XMLReader {
    private static let maxDepth = 24
    private static let maxElements = 20_000

    private let bytes: [UInt8]
    private var index = 0
    private var elements = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The root element.
    static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else { throw .malformed }
        var reader = XMLReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
        try reader.skipMisc()
        guard reader.peek == UInt8(ascii: "<") else { throw .malformed }
        let root = try reader.element(in: ["xml": "http://www.w3.org/XML/1998/namespace"], depth: 0)
        try reader.skipMisc()
        guard reader.index == bytes.count else { throw .malformed }
        return root
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func isAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            index + text.count <= bytes.count && bytes[index..<index + text.count].elementsEqual(text)
        }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func skip(through end: StaticString) throws(XMLError) {
        while index < bytes.count {
            if skip(end) { return }
            index += 1
        }
        throw .malformed
    }

    /// Space, comments and processing instructions between elements, and the declaration.
    private mutating func skipMisc() throws(XMLError) {
        while true {
            skipSpace()
            if isAt("<!DOCTYPE") || isAt("<!ENTITY") { throw .documentType }
            if skip("<?") {
                let start = index
                try skip(through: "?>")
                try checkEncoding(bytes[start..<index])
            } else if skip("<!--") {
                try skip(through: "-->")
            } else {
                return
            }
        }
    }

    /// The bytes are UTF-8, so a declaration of anything else is wrong.
    private func checkEncoding(_ instruction: ArraySlice<UInt8>) throws(XMLError) {
        let text = String(decoding: instruction, as: UTF8.self).lowercased()
        guard text.hasPrefix("xml "), let encoding = text.range(of: "encoding") else { return }
        let value = text[encoding.upperBound...]
        guard value.contains("utf-8") || value.contains("us-ascii") else { throw .malformed }
    }

    private mutating func name() throws(XMLError) -> String {
        let start = index
        while let byte = peek, byte > 0x20, byte != UInt8(ascii: "="), byte != UInt8(ascii: ">"),
            byte != UInt8(ascii: "/"), byte != UInt8(ascii: "<"), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "&")
        { index += 1 }
        guard index > start, index - start <= 256 else { throw .malformed }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private func resolved(
        _ name: String, in namespaces: [String: String], isAttribute: Bool = false
    ) throws(XMLError) -> XMLName {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return XMLName(namespace: isAttribute ? "" : namespaces[""] ?? "", local: name)
        case 2 where !parts[0].isEmpty && !parts[1].isEmpty:
            guard let namespace = namespaces[String(parts[0])] else { throw .malformed }
            return XMLName(namespace: namespace, local: String(parts[1]))
        default: throw .malformed
        }
    }

    private mutating func element(
        in outer: [String: String], depth: Int
    ) throws(XMLError) -> XMLElement {
        elements += 1
        guard depth < Self.maxDepth, elements <= Self.maxElements else { throw .tooLarge }
        index += 1
        let tag = try name()
        var namespaces = outer
        var given: [(name: String, value: String)] = []
        while true {
            skipSpace()
            guard let byte = peek else { throw .malformed }
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { break }
            let (name, value) = try attribute()
            if name == "xmlns" {
                namespaces[""] = value
            } else if name.hasPrefix("xmlns:") {
                guard !value.isEmpty else { throw .malformed }
                namespaces[String(name.dropFirst(6))] = value
            } else {
                given.append((name, value))
            }
        }
        var element = XMLElement(name: try resolved(tag, in: namespaces))
        for (name, value) in given {
            let local = try resolved(name, in: namespaces, isAttribute: true).local
            guard element.attributes.updateValue(value, forKey: local) == nil else { throw .malformed }
        }
        if skip("/>") { return element }
        guard skip(">") else { throw .malformed }
        try content(of: &element, tag, in: namespaces, depth: depth)
        return element
    }

    private mutating func attribute() throws(XMLError) -> (String, String) {
        let name = try name()
        skipSpace()
        guard skip("=") else { throw .malformed }
        skipSpace()
        guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw .malformed }
        index += 1
        let start = index
        while let byte = peek, byte != quote {
            if byte == UInt8(ascii: "<") { throw .malformed }
            index += 1
        }
        guard peek == quote else { throw .malformed }
        let value = try unescaped(bytes[start..<index])
        index += 1
        return (name, value)
    }

    private mutating func content(
        of element: inout XMLElement, _ tag: String, in namespaces: [String: String], depth: Int
    ) throws(XMLError) {
        while true {
            let start = index
            while let byte = peek, byte != UInt8(ascii: "<") { index += 1 }
            if index > start { element.text += try unescaped(bytes[start..<index]) }
            guard peek != nil else { throw .malformed }
            if skip("</") {
                guard try name() == tag else { throw .malformed }
                skipSpace()
                guard skip(">") else { throw .malformed }
                return
            }
            if skip("<![CDATA[") {
                let start = index
                try skip(through: "]]>")
                element.text += String(decoding: bytes[start..<index - 3], as: UTF8.self)
            } else if skip("<!--") {
                try skip(through: "-->")
            } else if skip("<?") {
                try skip(through: "?>")
            } else if isAt("<!") {
                throw .documentType
            } else {
                element.children.append(try self.element(in: namespaces, depth: depth + 1))
            }
        }
    }

    /// Text with the predefined entities and characters by number.
    private func unescaped(_ text: ArraySlice<UInt8>) throws(XMLError) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var result = ""
        var rest = text
        while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += String(decoding: rest[..<ampersand], as: UTF8.self)
            guard let end = rest[ampersand...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw .malformed }
            let name = String(decoding: rest[(ampersand + 1)..<end], as: UTF8.self)
            switch name {
            case "lt": result += "<"
            case "gt": result += ">"
            case "amp": result += "&"
            case "quot": result += "\""
            case "apos": result += "'"
            default:
                let number =
                    name.hasPrefix("#x")
                    ? UInt32(name.dropFirst(2), radix: 16)
                    : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
                guard let number, number > 0, let scalar = Unicode.Scalar(number) else { throw .malformed }
                result.unicodeScalars.append(scalar)
            }
            rest = rest[(end + 1)...]
        }
        return result + String(decoding: rest, as: UTF8.self)
    }
}

extension String {
    /// The first occurrence of a text.
    fileprivate func range(of text: String) -> Range<String.Index>? { ranges(of: text).first }
}
