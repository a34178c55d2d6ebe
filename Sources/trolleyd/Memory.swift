#if canImport(Glibc)
    internal import CMalloc
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
}
