import FoundationEssentials
import Subprocess
import SystemPackage
import Testing

/// `script/check-platforms`, which replaces building on Apple's platforms.
@Suite(.timeLimit(.minutes(20))) struct PlatformCheckTests {
    private static let repository = String(
        #filePath.dropLast("/Tests/EndToEndTests/Operating/PlatformCheckTests.swift".count))

    /// The script's complaint about one file of `TrolleyClient`; nil if there is none.
    private func complaint(about source: String) async throws -> String? {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory + "/TrolleyClient", withIntermediateDirectories: true)
            try source.write(toFile: directory + "/TrolleyClient/A.swift", atomically: true, encoding: .utf8)
            let result = try await Subprocess.run(
                .path(FilePath(Self.repository + "/script/check-platforms")), arguments: [directory],
                output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
            return result.terminationStatus.isSuccess ? nil : result.standardOutput
        }
    }

    @Test(arguments: [
        ("import Glibc\n", "A.swift:1: imports Glibc"),
        ("internal import FoundationEssentials\n", "A.swift:1: imports FoundationEssentials"),
        ("import struct FoundationEssentials.Data\n", "A.swift:1: imports FoundationEssentials"),
        ("#if os(Linux)\n    import Glibc\n#endif\n", "A.swift:2: imports Glibc"),
        ("#if canImport(Darwin)\n    import Darwin\n#else\n    import Glibc\n#endif\n", "A.swift:4: imports Glibc"),
        ("let clock = CLOCK_BOOTTIME\n", "A.swift:1: uses what only Linux has"),
    ])
    func `what Apple's platforms lack is found`(_ source: String, _ complaint: String) async throws {
        #expect(try await self.complaint(about: source)?.contains(complaint) == true)
    }

    @Test(arguments: [
        "import Foundation\n",
        "#if canImport(FoundationEssentials)\n    import FoundationEssentials\n#else\n    import Foundation\n#endif\n",
        "#if canImport(Darwin)\n    import Darwin\n#elseif canImport(Glibc)\n    import Glibc\n#endif\n",
        "// import Glibc\n",
    ])
    func `what is guarded is not`(_ source: String) async throws {
        #expect(try await complaint(about: source) == nil)
    }
}
