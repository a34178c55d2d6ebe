#if canImport(Glibc)
    internal import CMalloc
    internal import Glibc
#endif

/// How the C library deals with memory that is free.
enum Memory {
    /// Keeps some of what a long page took for the next one. glibc gives back, unless told otherwise, whatever is free beyond
    /// 128 KiB, page by page of a list, and gets it again as zeros; that was a fifth of the time that the service spent on one.
    static func keepForTheNextPage() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 4 << 20)
            mallopt(M_TRIM_THRESHOLD, 8 << 20)
        #endif
    }

    /// How often ``giveBackRegularly()`` looks.
    private static let pause = Duration.seconds(5)
    /// Bytes beyond what is in use that the process may keep: its program, its stacks and what is worth keeping.
    private static let keep = 64 << 20

    /// Gives memory back to the system that many requests needed at once and that is free again, wherever it lies: by itself
    /// glibc gives back only what lies at the end of an arena. Returns when the task is cancelled.
    static func giveBackRegularly() async {
        #if canImport(Glibc)
            while !Task.isCancelled {
                do { try await Task.sleep(for: pause) } catch { return }
                guard let resident, resident > Int(malloc_in_use()) + keep else { continue }
                malloc_trim(0)
            }
        #endif
    }

    #if canImport(Glibc)
        /// Bytes of the process that are in memory.
        private static var resident: Int? {
            guard let file = fopen("/proc/self/statm", "r") else { return nil }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            guard fgets(&line, Int32(line.count), file) != nil else { return nil }
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
        }
    #endif
}
