#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads a text file that an option names.
enum TextFile {
    /// The maximum file size in bytes; no list comes near it.
    static let largest = 16 << 20

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let handle: Data
        do {
            handle = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .badFile(
                path,
                localized(
                    "it can't be read; check that it is there and is yours to read",
                    de: "Sie lässt sich nicht lesen. Prüfe, ob es sie gibt und ob du sie lesen darfst"))
        }
        guard handle.count <= largest else {
            throw .badFile(
                path,
                localized(
                    "it is too large for a list. Nothing was done",
                    de: "Sie ist zu groß für eine Liste. Nichts ist passiert"))
        }
        return Array(handle)
    }
}
