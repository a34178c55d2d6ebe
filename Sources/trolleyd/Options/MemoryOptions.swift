import ArgumentParser
import TrolleyStore

/// Limits on memory and storage, in bytes. For a quota, 0 removes the limit.
struct MemoryOptions: ParsableArguments {
    @Option(
        help:
            "Bytes of the entries in a list, not counting compressed ones; 0: no limit. (default: 8388608)"
    )
    var bytesPerList: Int?

    @Option(help: "Bytes of all lists that one account owns; 0: no limit. (default: 67108864)")
    var bytesPerAccount: Int?

    @Option(
        help:
            "Bytes of memory for request bodies; one account may use a quarter. (default: 25165824)"
    )
    var memoryForBodies: Int?

    @Option(
        help:
            "Bytes of memory for long responses; one account, and one response, may use a third. (default: 100663296)"
    )
    var memoryForReading: Int?

    @Option(
        help:
            "Bytes of responses that clients have not read yet; one address may use half. (default: 25165824)"
    )
    var memoryForAnswers: Int?

    func reading(_ settings: Settings) throws -> ReadingLimits {
        var limits = ReadingLimits()
        limits.bytes = try settings.value(memoryForReading, "memory.for.reading", default: limits.bytes)
        guard limits.bytes > 0 else { throw ValidationError("--memory-for-reading must be at least 1") }
        limits.bytesPerAccount = limits.bytes / 3
        return limits
    }
}
