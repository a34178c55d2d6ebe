import FoundationEssentials
import Testing

@testable import TrolleyCluster

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.timeLimit(.minutes(20))) struct PlainFileTests {
    @Test func `a regular file of one name is opened, and nothing else in its place`() async throws {
        try await ClusterDirectory.temporary { directory in
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: false)
            let file = "\(directory.path)/file"
            close(try openPlainFile(file, O_RDWR | O_CREAT))
            close(try openPlainFile(file, O_RDWR))
            try Data("7 rest".utf8).write(to: URL(filePath: file))
            #expect(plainText(file) == "7 rest" && FileLock.holder(file) == 7)

            try #require(symlink(file, "\(directory.path)/link") == 0)
            try #require(mkfifo("\(directory.path)/pipe", 0o600) == 0)
            for name in ["link", "pipe", "none"] {
                #expect(throws: ClusterError.self) { try openPlainFile("\(directory.path)/\(name)", O_RDONLY) }
                #expect(plainText("\(directory.path)/\(name)") == nil)
            }
            try #require(link(file, "\(directory.path)/second") == 0)
            #expect(throws: ClusterError.self) { try openPlainFile(file, O_RDWR) }
            #expect(throws: ClusterError.self) { try FileLock("\(directory.path)/second") }
        }
    }
}
