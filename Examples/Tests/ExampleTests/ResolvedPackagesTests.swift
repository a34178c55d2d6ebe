import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct ResolvedPackagesTests {
    @Test func `an app with the SDK resolves no package of the service's or the command line's`() throws {
        struct Resolved: Decodable {
            struct Pin: Decodable { var identity: String }
            var pins: [Pin]
        }
        let file = URL(filePath: RunningService.repository + "/Examples/Package.resolved")
        let pins = Set(try JSONDecoder().decode(Resolved.self, from: Data(contentsOf: file)).pins.map(\.identity))
        #expect(pins.isSuperset(of: ["async-http-client", "grdb.swift", "swift-crypto", "swift-nio"]))
        let others: Set = [
            "hummingbird", "jwt-kit", "swift-argument-parser", "swift-metrics", "swift-subprocess", "yams",
        ]
        #expect(pins.isDisjoint(with: others))
    }
    @Test func `what only the programs use stands under their trait`() throws {
        let manifest = try String(contentsOfFile: RunningService.repository + "/Package.swift", encoding: .utf8)
        let unconditional = manifest.matches(of: #/\.product\(name: "[^"]+", package: "(?<package>[^"]+)"\)/#)
        #expect(
            Set(unconditional.map { String($0.package) })
                == ["async-http-client", "GRDB.swift", "swift-crypto", "swift-log", "swift-nio", "swift-nio-ssl"])
    }
}
