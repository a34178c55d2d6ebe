/// Reads a tar archive in memory, in the format ustar (POSIX.1-1988), as `script/web` writes it.
struct TarArchive {
    private static let block = 512
    /// The contents of the regular files, by path.
    private(set) var files: [String: ArraySlice<UInt8>] = [:]

    /// Returns nil if the archive is cut off or damaged.
    init?(_ bytes: [UInt8]) {
        var position = 0
        while position + Self.block <= bytes.count {
            let header = bytes[position..<position + Self.block]
            // Zeros end the archive.
            if header.allSatisfy({ $0 == 0 }) { return }
            guard Self.text(header, 257, 5) == "ustar", let size = Int(Self.text(header, 124, 12), radix: 8), size >= 0,
                size <= bytes.count - position - Self.block
            else { return nil }
            let (name, folder) = (Self.text(header, 0, 100), Self.text(header, 345, 155))
            let start = position + Self.block
            // '0' and NUL are regular files; directories and links are left out.
            if ["0", ""].contains(Self.text(header, 156, 1)) {
                files[folder.isEmpty ? name : "\(folder)/\(name)"] = bytes[start..<start + size]
            }
            position = start + (size + Self.block - 1) / Self.block * Self.block
        }
        return nil
    }

    /// The text of a header's field, which ends at a NUL or a space.
    private static func text(_ header: ArraySlice<UInt8>, _ offset: Int, _ length: Int) -> String {
        let field = header.dropFirst(offset).prefix(length)
        return String(decoding: field.prefix { $0 != 0 && $0 != 0x20 }, as: UTF8.self)
    }
}
