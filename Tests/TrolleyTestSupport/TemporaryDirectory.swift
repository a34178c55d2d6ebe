#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Makes an empty directory for a cluster: below `TMPDIR`, or below `/tmp` if the cluster's socket would have too long an address there.
/// - Parameter purpose: a word of its name.
/// - Returns: its path. Whoever asks removes it.
package func makeTemporaryDirectory(for purpose: String) -> String {
    var parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
    // An address has 107 bytes.
    if !parent.hasPrefix("/") || parent.utf8.count > 40 { parent = "/tmp" }
    var template = Array("\(parent)/trolley-\(purpose)-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { fatalError("no directory can be made below \(parent): errno \(errno)") }
    return String(cString: path)
}
