import Testing

@testable import trolleyd

@Suite("Open files", .timeLimit(.minutes(20))) struct OpenFilesTests {
    @Test(
        "connections leave room for other open files",
        arguments: [
            (10_000, 65_536, 10_000), (10_000, 10_128, 10_000), (10_000, 1024, 896), (500, 200, 92), (5, 1, 1),
        ])
    func room(wanted: Int, limit: Int, possible: Int) {
        #expect(OpenFiles.connections(atMost: wanted, besides: 16, below: limit) == possible)
    }

    @Test("connections to a standby and to nodes leave room for fewer connections", arguments: [(32, 880), (80, 832)])
    func pools(pooled: Int, possible: Int) {
        #expect(OpenFiles.connections(atMost: 10_000, besides: pooled, below: 1024) == possible)
    }
}
