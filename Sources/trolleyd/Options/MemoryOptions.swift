import ArgumentParser
import TrolleyStore

/// How much, in bytes. For a quota, 0 is as much as they like.
struct MemoryOptions: ParsableArguments {
    @Option(
        help:
            "Bytes of the entries in a list, without those that compression took out; 0: any number. (default: 8388608)"
    )
    var bytesPerList: Int?

    @Option(help: "Bytes of all lists together that one person owns; 0: any number. (default: 67108864)")
    var bytesPerAccount: Int?

    @Option(
        help:
            "Bytes that the bodies of requests may take at the same time; a quarter for one person. (default: 33554432)"
    )
    var memoryForBodies: Int?

    @Option(
        help:
            "Bytes that long answers may take at the same time; a third for one person, and for one answer. (default: 100663296)"
    )
    var memoryForReading: Int?

    @Option(
        help:
            "Bytes of answers that clients have not taken yet, of all connections together; half for one address. (default: 67108864)"
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
