import ArgumentParser
import Foundation
import NIOCore
import Testing
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyWire

@testable import trolleyd

/// Each option sets its own value: each gets a different number.
@Suite(.timeLimit(.minutes(20))) struct OptionsTests {
    private static let numbers: [(flag: String, value: Int)] = [
        ("requests-per-minute-by-account", 101), ("requests-per-minute-by-device", 102),
        ("requests-per-minute-by-address", 103), ("attempts-per-hour-by-address", 104),
        ("attempts-per-hour-by-email", 105), ("streams-per-device", 106), ("streams-per-account", 107),
        ("entries-per-list", 108), ("lists-per-account", 109), ("entries-per-request", 110),
        ("bytes-per-request", 111), ("changes-per-page", 112), ("participants-per-list", 113), ("connections", 114),
        ("connections-by-address", 115), ("waiting-passwords", 116), ("devices-per-account", 117),
        ("bytes-per-list", 118),
        ("bytes-per-account", 119), ("memory-for-bodies", 120), ("minimum-free-space", 121),
        ("mails-per-hour-by-address", 122), ("mails-per-hour", 123), ("share-changes-per-hour-by-account", 124),
    ]

    private func configuration(_ arguments: [String]) throws -> ServiceConfiguration {
        var configuration = ServiceConfiguration(version: "0")
        try LimitOptions.parse(arguments).apply(to: &configuration, Settings())
        return configuration
    }

    @Test func `diagnostics show the given settings, and that secrets are set`() {
        let shown = Settings.shown(
            ["trolleyd", "serve", "--port", "81", "--database-url=postgresql://u:secret@h/d", "--json"],
            environment: [
                "TROLLEY_PORT": "80", "TROLLEY_LOG_LEVEL": "debug", "TROLLEY_DATA_DIRECTORY": "", "HOME": "/",
            ])
        #expect(
            shown == [
                "TROLLEY_PORT": "81", "TROLLEY_DATABASE_URL": "(set)", "TROLLEY_LOG_LEVEL": "debug",
                "TROLLEY_JSON": "(set)",
            ])
    }

    @Test func `each limit arrives in its own place`() throws {
        let timeouts = [
            "--head-timeout", "11s", "--body-timeout", "12s", "--idle-timeout", "13s", "--write-timeout", "14s",
        ]
        let set = try configuration(Self.numbers.flatMap { ["--\($0.flag)", "\($0.value)"] } + timeouts)
        let (rates, limits) = (set.rates, set.limits)
        #expect(rates.requestsPerMinuteByAccount == 101 && rates.requestsPerMinuteByDevice == 102)
        #expect(rates.requestsPerMinuteByAddress == 103 && rates.attemptsPerHourByAddress == 104)
        #expect(rates.attemptsPerHourByEmail == 105)
        #expect(rates.mailsPerHourByAddress == 122 && rates.mailsPerHour == 123)
        #expect(rates.shareChangesPerHourByAccount == 124)
        #expect(rates.streamsPerDevice == 106 && rates.streamsPerAccount == 107)
        #expect(set.quotas.entriesPerList == 108 && set.quotas.listsPerAccount == 109)
        #expect(set.quotas.devicesPerAccount == 117)
        #expect(set.quotas.bytesPerList == 118 && set.quotas.bytesPerAccount == 119)
        #expect(set.bodyBytes == 120 && set.minimumFreeSpace == 121 << 20)
        #expect(limits.entriesPerRequest == 110 && limits.bytesPerRequest == 111)
        #expect(limits.changesPerPage == 112 && limits.participantsPerList == 113)
        #expect(limits.defaultChangesPerPage == 112, "the usual page is no longer than the longest")
        #expect(set.connections == 114 && set.connectionsByAddress == 115 && set.waitingPasswordHashes == 116)
        #expect(set.timeouts.head == .seconds(11) && set.timeouts.body == .seconds(12))
        #expect(set.timeouts.idle == .seconds(13) && set.timeouts.write == .seconds(14))
    }

    @Test func `without any flag everything is as it was, and 0 is as much as they like`() throws {
        let (set, standard) = (try configuration([]), ServiceConfiguration(version: "0"))
        #expect(set.rates == standard.rates && set.quotas == standard.quotas && set.limits == standard.limits)
        #expect(set.timeouts == standard.timeouts && set.connections == standard.connections)
        let unlimited = try configuration(["--requests-per-minute-by-device", "0", "--lists-per-account", "0"])
        #expect(unlimited.rates.requestsPerMinuteByDevice == nil && unlimited.quotas.listsPerAccount == nil)
        for flag in ["--connections", "--changes-per-page", "--streams-per-device"] {
            let value = flag == "--streams-per-device" ? "-1" : "0"
            #expect(throws: (any Error).self, "\(flag)") { try configuration(["\(flag)=\(value)"]) }
        }
    }

    @Test func `each retention arrives in its own place, and the Activity is kept for what a device may send`() throws {
        let options = try RetentionOptions.parse(["--trail", "60d", "--activity-retention", "400d"])
        let retention = try options.retention(Settings(), olderThan: Age(days: 7))
        #expect(
            retention
                == Retention(
                    compressionAge: Age(days: 7).milliseconds, trail: Age(days: 60).milliseconds,
                    activity: Age(days: 400).milliseconds))
        let standard = try RetentionOptions.parse([]).retention(Settings(), olderThan: Age(days: 14))
        #expect(standard == Retention())
        #expect(throws: (any Error).self) {
            try RetentionOptions.parse(["--activity-retention", "89d"]).retention(Settings(), olderThan: Age(days: 7))
        }
    }

    @Test func `proxies, their header and who may read the metrics arrive`() throws {
        var configuration = ServiceConfiguration(version: "0")
        let arguments = [
            "--trusted-proxies", "10.0.0.0/8,::1", "--proxy-header", "Forwarded", "--metrics-from", "none",
            "--allowed-origins", "https://Lists.example.com, http://localhost:3000,http://[::1]:8080",
        ]
        try NetworkOptions.parse(arguments).apply(to: &configuration, Settings())
        #expect(configuration.proxies.proxies.map(\.description) == ["10.0.0.0/8", "::1"])
        #expect(configuration.proxies.header == .forwarded && configuration.metricsFrom.isEmpty)
        #expect(
            configuration.origins
                == AllowedOrigins("https://lists.example.com,http://localhost:3000,http://[::1]:8080"))
        let origins = [
            "*", "null", "lists.example.com", "https://lists.example.com/", "https://lists.example.com:443",
            "https://*.example.com", "https://user@example.com", "https://",
        ]
        for bad in [["--proxy-header", "via"], ["--tls-key", "x"], ["--trusted-proxies", "10.0.0.0/33"]]
            + origins.map({ ["--allowed-origins", $0] })
        {
            #expect(throws: (any Error).self) {
                try NetworkOptions.parse(bad).apply(to: &configuration, Settings())
            }
        }
    }

    @Test func `the web app in the program is the one that script/web has packed`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let packed = try? Data(contentsOf: root.appending(path: "web/app.tar"))
        #expect(WebOptions.embedded.map { Data($0) } == packed, "build again after script/web")
        func site(_ arguments: String...) throws -> WebSite? { try WebOptions.parse(arguments).site(Settings()) }
        #expect(try (site() == nil) == (packed == nil))
        #expect(try site("--no-web") == nil)
        #expect(throws: ValidationError.self) { try site("--no-web", "--web-directory", "/tmp") }
        #expect(throws: ValidationError.self) { try site("--web-directory", "/nowhere") }
    }

    @Test func `the doctor says which web app is served, and which is missing`() throws {
        func finding(_ arguments: String...) throws -> Finding {
            let options = try WebOptions.parse(arguments)
            return try options.finding(of: options.site(Settings()), Settings())
        }
        let inside = try finding()
        #expect(inside.verdict == (WebOptions.embedded == nil ? .warning : .ok))
        #expect(try finding("--no-web") == .ok("web app", "not served, as set by --no-web"))
        #expect(try WebOptions.parse([]).finding(of: nil, Settings()).advice?.contains("script/web") == true)
    }

    @Test(arguments: [true, false])
    func `behind a pooler nothing is prepared`(isPooled: Bool) throws {
        let options = try DatabaseOptions.parse(isPooled ? ["--no-prepare"] : [])
        let configuration = try options.configuration(Settings(), "postgresql://localhost/trolley")
        #expect(configuration.preparesStatements == !isPooled)
    }

    @Test func `the doctor warns of requests to private addresses, and says what they mean`() throws {
        func finding(_ arguments: [String]) throws -> Finding? {
            var configuration = ServiceConfiguration(version: "0")
            try NetworkOptions.parse(arguments).apply(to: &configuration, Settings())
            return SecurityChecks(host: "127.0.0.1", configuration: configuration).findings.first { $0.check == "push" }
        }
        #expect(try finding([])?.verdict == .ok)
        #expect(try finding([])?.message.contains("the web app's address") == true)
        #expect(try finding(["--push-contact", "mailto:a@example.com"])?.message.contains("a@example.com") == true)
        let open = try finding(["--push-to-private-addresses"])
        #expect(open?.verdict == .warning && open?.advice?.contains("into your network") == true)
    }
}
