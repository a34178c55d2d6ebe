#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file that a person names on the line.
enum TextFile {
    /// Files that are read at the most, in bytes: no list comes near it.
    static let largest = 16 << 20

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let handle: Data
        do {
            handle = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .badFile(path, "it can't be read; check that it is there and is yours to read")
        }
        guard handle.count <= largest else { throw .badFile(path, "it is too large for a list. Nothing was done") }
        return Array(handle)
    }
}
