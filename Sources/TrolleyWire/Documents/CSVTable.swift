/// A table of values (RFC 4180), separated by commas, semicolons or tabs.
struct CSVTable {
    /// A row's cells, and the line on which it begins.
    struct Row {
        var cells: [String]
        var line: Int
    }

    private(set) var rows: [Row] = []

    /// - Throws: `DocumentError`, with the line, where a quote isn't closed.
    init(_ text: String) throws(DocumentError) {
        let bytes = Array((text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text).utf8)
        let separator = Self.separator(of: bytes)
        var cells: [String] = []
        var cell: [UInt8] = []
        var (line, begin, index) = (1, 1, 0)
        func endRow(_ rows: inout [Row]) {
            cells.append(String(decoding: cell, as: UTF8.self))
            cell = []
            // A blank line is no row.
            if cells.count > 1 || cells[0] != "" { rows.append(Row(cells: cells, line: begin)) }
            cells = []
        }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\""), cell.isEmpty {
                let opened = line
                while true {
                    guard index < bytes.count else { throw .openQuote(line: opened) }
                    if bytes[index] == UInt8(ascii: "\"") {
                        guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\"") else { break }
                        index += 1
                    }
                    if bytes[index] == 0x0A { line += 1 }
                    cell.append(bytes[index])
                    index += 1
                }
                index += 1
            } else if byte == separator {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell = []
            } else if byte == 0x0A || byte == 0x0D {
                if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
                endRow(&rows)
                line += 1
                begin = line
            } else {
                cell.append(byte)
            }
        }
        endRow(&rows)
    }

    /// The separator that occurs most often in the first line.
    private static func separator(of bytes: [UInt8]) -> UInt8 {
        let first = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        return candidates.max { left, right in
            first.count { $0 == left } < first.count { $0 == right }
        } ?? candidates[0]
    }

    /// The cell's text in the file, in quotes if necessary.
    static func escaped(_ cell: String) -> String {
        let needsQuotes =
            cell.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D || $0 == 0x3B || $0 == 0x09 }
            || cell.first?.isWhitespace == true || cell.last?.isWhitespace == true
        guard needsQuotes else { return cell }
        var quoted = "\""
        for scalar in cell.unicodeScalars {
            if scalar == "\"" { quoted += "\"" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
