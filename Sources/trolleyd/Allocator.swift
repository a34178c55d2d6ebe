#if canImport(Glibc)
    internal import CMalloc
    internal import Glibc
#endif

/// Settings of the C library's allocator.
enum Allocator {
    /// Keeps memory of a long page for the next one. By default glibc returns all free memory beyond 128 KiB to the
    /// system after each page of a list, and gets it back zeroed. That took a fifth of the time of a page.
    static func configure() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 4 << 20)
            mallopt(M_TRIM_THRESHOLD, 8 << 20)
        #endif
    }

    /// How often ``trimPeriodically()`` checks.
    private static let trimInterval = Duration.seconds(5)
    /// Bytes that the process may keep beyond the allocated ones: its program, its stacks, and free memory for the next
    /// requests.
    private static let maxUnusedBytes = 64 << 20

    /// Returns memory that is free again after a load peak to the system, wherever it lies. By itself glibc returns
    /// only memory at the end of an arena. Returns when the task is cancelled.
    static func trimPeriodically() async {
        #if canImport(Glibc)
            while !Task.isCancelled {
                do { try await Task.sleep(for: trimInterval) } catch { return }
                guard let resident, resident > Int(malloc_in_use()) + maxUnusedBytes else { continue }
                malloc_trim(0)
            }
        #endif
    }

    #if canImport(Glibc)
        /// The process's resident memory in bytes.
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
