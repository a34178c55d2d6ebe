import Testing
import TrolleyClient
import TrolleySyncTesting

@Suite(.timeLimit(.minutes(20))) struct DeviceLifecycleTests {
    // In a debug build, the HTTP client ends the program if nobody has shut the client down.
    @Test func `a device that was never closed may be let go, and opened again`() async throws {
        let directory = TemporaryDirectory()
        let list = try await Device(directory: directory.path).makeList(named: "Shop")
        let again = try Device(directory: directory.path)
        #expect(try await again.lists().map(\.id) == [list.id])
        await again.close()
    }
}
