import ArgumentParser
import TrolleyWire

/// What a table's columns mean, by their names or numbers: `text=Artikel,quantity=3`.
struct ColumnMeanings: ExpressibleByArgument {
    private let columns: [(meaning: CSVColumns.Meaning, column: String)]

    init?(argument: String) {
        var columns: [(meaning: CSVColumns.Meaning, column: String)] = []
        for part in argument.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, let meaning = CSVColumns.Meaning(rawValue: sides[0].lowercased()), meaning != .type,
                !columns.contains(where: { $0.meaning == meaning })
            else { return nil }
            columns.append((meaning, String(sides[1])))
        }
        guard columns.contains(where: { $0.meaning == .text }) else { return nil }
        self.columns = columns
    }

    /// The same for the columns of a file.
    func choice(of bytes: [UInt8], file: String, isFirstRowNames: Bool) throws -> CSVColumns.Choice {
        let names = try ListDocument.cells(ofFirstRowOf: bytes)
        var meanings = [CSVColumns.Meaning?](repeating: nil, count: names.count)
        for (meaning, column) in columns {
            let named = isFirstRowNames ? names.firstIndex { $0.lowercased() == column.lowercased() } : nil
            guard let index = named ?? Int(column).map({ $0 - 1 }), meanings.indices.contains(index) else {
                let known = (isFirstRowNames ? names : names.indices.map { String($0 + 1) }).joined(separator: ", ")
                throw CommandError.badFile(
                    file,
                    localized(
                        "it has no column '\(column)', but these: \(known). Nothing was imported",
                        de: "Sie hat keine Spalte „\(column)“, sondern diese: \(known). Nichts wurde importiert"))
            }
            meanings[index] = meaning
        }
        return CSVColumns.Choice(meanings: meanings, isFirstRowNames: isFirstRowNames)
    }
}
