/// Writes an answer's XML.
struct XMLWriter {
    private(set) var text = ##"<?xml version="1.0" encoding="utf-8"?>"## + "\n"
    private var isRoot = true

    /// The prefixes of the namespaces that answers use, declared in the root.
    private static let prefixes = [
        (XMLName.davNamespace, "d"), (XMLName.calendarNamespace, "c"), (XMLName.serverNamespace, "s"),
        (XMLName.appleNamespace, "a"), (XMLName.pushNamespace, "p"),
    ]

    private static func tag(_ name: XMLName) -> (tag: String, declaration: String) {
        if let prefix = prefixes.first(where: { $0.0 == name.namespace })?.1 { return ("\(prefix):\(name.local)", "") }
        if name.namespace.isEmpty { return (name.local, "") }
        return ("x:\(name.local)", " xmlns:x=\"\(escaped(name.namespace))\"")
    }

    /// Begins an element that has content.
    mutating func begin(_ name: XMLName, _ attributes: [(String, String)] = []) {
        let (tag, declaration) = Self.tag(name)
        text += "<\(tag)\(declaration)"
        if isRoot {
            isRoot = false
            for (namespace, prefix) in Self.prefixes { text += " xmlns:\(prefix)=\"\(namespace)\"" }
        }
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        text += ">"
    }

    mutating func end(_ name: XMLName) { text += "</\(Self.tag(name).tag)>" }

    mutating func element(
        _ name: XMLName, _ attributes: [(String, String)] = [], _ content: (inout XMLWriter) -> Void = { _ in }
    ) {
        begin(name, attributes)
        let length = text.utf8.count
        content(&self)
        if text.utf8.count == length {
            text.removeLast()
            text += "/>"
        } else {
            end(name)
        }
    }

    mutating func element(_ name: XMLName, _ content: String) { element(name) { $0.write(content) } }

    mutating func href(_ path: String) { element(.dav("href"), path) }

    mutating func write(_ content: String) { text += Self.escaped(content) }

    /// Characters that XML can't have are left out.
    static func escaped(_ text: String) -> String {
        let needs = text.utf8.contains { $0 < 0x20 || $0 == 0x26 || $0 == 0x3C || $0 == 0x3E || $0 == 0x22 }
        guard needs else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 64)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case 0x0D: bytes += "&#13;".utf8
            case 0x0A, 0x09: bytes.append(byte)
            default: if byte >= 0x20 { bytes.append(byte) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
