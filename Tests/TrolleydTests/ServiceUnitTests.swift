import ArgumentParser
import Foundation
import Testing

@testable import trolleyd

#if canImport(Glibc)
    import Glibc
#endif

/// Which directories the unit of systemd lets the service write, and what `trolleyd setup` makes of it.
@Suite(.timeLimit(.minutes(20))) struct ServiceUnitTests {
    private let folder: TemporaryFolder
    private var directory: String { folder.path }
    private var file: String { "\(directory)/trolleyd.env" }
    /// As /etc/systemd/system and /usr/lib/systemd/system.
    private var units: [String] { ["\(directory)/etc", "\(directory)/lib"] }
    private var dropIns: String { "\(directory)/etc/trolleyd.service.d" }
    private var dropIn: String { "\(dropIns)/trolleyd-setup.conf" }

    init() throws {
        folder = try TemporaryFolder()
        for path in units { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func installPackagedUnit() throws -> ServiceUnit? {
        let deploy = URL(filePath: #filePath).appending(path: "../../../deploy/trolleyd.service").standardized
        try write(String(contentsOf: deploy, encoding: .utf8), to: "\(directory)/lib/trolleyd.service")
        return ServiceUnit(in: units, reading: "/etc/trolley/trolleyd.env")
    }

    /// A unit that reads the test's file of settings, may write `usual` in the test's directory, and nothing else.
    private func installUnit(_ more: String = "") throws {
        try write(
            """
            [Unit]
            ReadWritePaths=/
            [Service]
            EnvironmentFile=-\(file)
            ProtectSystem=strict
            ReadWritePaths=-\(directory)/usual
            \(more)

            """, to: "\(directory)/lib/trolleyd.service")
    }

    @discardableResult
    private func run(_ arguments: String...) async throws -> SetupCommand.Done {
        let command = try SetupCommand.parse(["--file", file, "--defaults", "--json"] + arguments)
        return try await command.run(Questions(isAsking: false), units: units)
    }

    private var settings: String? { try? String(contentsOfFile: file, encoding: .utf8) }

    @Test func `the packaged unit lets the service write its state and the usual backups`() throws {
        let unit = try #require(try installPackagedUnit())
        #expect(unit.user == "trolley" && unit.backupDirectory == "/var/backups/trolley")
        for path in ["/var/backups/trolley", "/var/backups/trolley/", "/var/backups/trolley/x", "/var/lib/trolley/b"] {
            #expect(unit.access(to: path) == .writable, "\(path)")
        }
        for path in ["/srv/backups", "/var/backups/trolleys", "/etc/trolley", "/usr/local/backups", "/"] {
            #expect(unit.access(to: path) == .readOnly, "\(path)")
        }
        for (path, setting) in [
            ("/home/ann/backups", "ProtectHome"), ("/root", "ProtectHome"), ("/tmp/backups", "PrivateTmp"),
            ("/var/tmp/b", "PrivateTmp"), ("/dev/shm", "PrivateDevices"), ("/proc/x", "ProtectKernelTunables"),
        ] {
            #expect(unit.access(to: path) == .hidden(by: setting), "\(path)")
            #expect(throws: ValidationError.self, "\(path)") { try BackupDirectory(path, for: unit) }
        }
        for path in ["/", "/srv", "//var//lib/", "/srv/../etc", "/srv/./x", "srv", "/srv/a\nb"] {
            #expect(throws: ValidationError.self, "\(path)") { try BackupDirectory(path, for: unit) }
        }
        #expect(try BackupDirectory("//srv/backups/", for: unit).path == "/srv/backups")
    }

    @Test func `a unit that reads another file, or none, restricts nothing`() throws {
        #expect(ServiceUnit(in: units, reading: file) == nil)
        #expect(ServiceUnit(in: [], reading: file) == nil)
        #expect(try installPackagedUnit() != nil)
        #expect(ServiceUnit(in: units, reading: file) == nil)
        // As systemctl mask does.
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory)/etc/trolleyd.service", withDestinationPath: "/dev/null")
        #expect(ServiceUnit(in: units, reading: "/etc/trolley/trolleyd.env") == nil)
    }

    @Test func `an operator's drop-ins count, and an empty value takes back those before it`() throws {
        try FileManager.default.createDirectory(atPath: dropIns, withIntermediateDirectories: false)
        try write(
            """
            # ReadWritePaths=/opt/commented
            [Service]
            ReadWritePaths="/srv/my backups" \\
              -/srv/100%%
            ProtectHome=no
            """, to: "\(dropIns)/10-backups.conf")
        var unit = try #require(try installPackagedUnit())
        for path in ["/srv/my backups", "/srv/100%/x", "/var/backups/trolley"] {
            #expect(unit.access(to: path) == .writable, "\(path)")
        }
        #expect(unit.access(to: "/opt/commented") == .readOnly && unit.access(to: "/home/ann") == .readOnly)
        try write("[Service]\nReadWritePaths=\nStateDirectory=\n", to: "\(dropIns)/20-nothing.conf")
        unit = try #require(try installPackagedUnit())
        for path in ["/srv/my backups", "/var/backups/trolley", "/var/lib/trolley"] {
            #expect(unit.access(to: path) == .readOnly, "\(path)")
        }
        try write("[Service]\nProtectSystem=full\n", to: "\(dropIns)/30-full.conf")
        unit = try #require(try installPackagedUnit())
        #expect(unit.access(to: "/srv/my backups") == .writable && unit.access(to: "/etc/trolley") == .readOnly)
    }

    @Test func `the service's user may be a number, and one that this machine doesn't know is named`() throws {
        let mine = geteuid()
        for (user, isKnown) in [("\(mine)", true), ("4123456789", false), ("nobody-of-this-name", false)] {
            try installUnit("User=\(user)")
            let unit = try #require(ServiceUnit(in: units, reading: file))
            let place = "\(directory)/usual/of \(user)"
            try FileManager.default.createDirectory(atPath: "\(directory)/usual", withIntermediateDirectories: true)
            // It is made, and the second time it is there.
            for _ in 0..<2 {
                let hint = try BackupDirectory(place, for: unit).make(for: unit)
                #expect((hint == nil) == isKnown, "\(user): \(hint ?? "none")")
                #expect(hint?.contains("chown \(user) '\(place)'") != false)
            }
        }
        // Another's directory, which the number may not write.
        guard mine == 0 else { return }
        try installUnit("User=65534")
        let unit = try #require(ServiceUnit(in: units, reading: file))
        let hint = try BackupDirectory("\(directory)/usual/of 0", for: unit).make(for: unit)
        #expect(hint?.contains("may not write there") == true)
    }

    @Test func `a symbolic link is followed`() throws {
        try installUnit()
        for name in ["usual", "elsewhere"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: false)
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory)/usual/link", withDestinationPath: "\(directory)/elsewhere")
        let unit = try #require(ServiceUnit(in: units, reading: file))
        #expect(unit.access(to: "\(directory)/usual/new") == .writable)
        #expect(unit.access(to: "\(directory)/usual/link/new") == .readOnly)
    }

    @Test func `setup makes another directory with a drop-in, and takes the drop-in back`() async throws {
        try installUnit()
        let path = "\(directory)/my \"100%\" backups"
        let first = try await run("--address", "http://127.0.0.1:9000", "--backup-directory", path)
        #expect(first.reload && first.dropIn == dropIn, "systemd must read the unit again")
        #expect(String(decoding: try JSONEncoder().encode(first), as: UTF8.self).contains(#""reload":true"#))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(settings?.contains("TROLLEY_BACKUP_DIRECTORY=\"\(directory)/my \\\"100%\\\" backups\"\n") == true)
        let text = try String(contentsOfFile: dropIn, encoding: .utf8)
        #expect(text.contains("ReadWritePaths=\"-\(directory)/my \\\"100%%\\\" backups\"\n"))
        var unit = try #require(ServiceUnit(in: units, reading: file))
        #expect(unit.access(to: path) == .readOnly, "setup leaves its own drop-in out")
        // As another file it is an operator's: what it says is read as it was meant.
        try write(text, to: "\(dropIns)/other.conf")
        unit = try #require(ServiceUnit(in: units, reading: file))
        #expect(unit.access(to: path) == .writable)
        try FileManager.default.removeItem(atPath: "\(dropIns)/other.conf")
        // Asking nothing keeps both.
        #expect(try await !run().reload)
        #expect(try String(contentsOfFile: dropIn, encoding: .utf8) == text)
        #expect(try await run("--backup-directory", "\(directory)/usual").reload, "the drop-in is gone")
        #expect(!FileManager.default.fileExists(atPath: dropIns))
        #expect(FileManager.default.fileExists(atPath: "\(directory)/usual"))
    }

    @Test func `a directory from an earlier setup that the service can't write gets its drop-in`() async throws {
        try installUnit()
        try write(
            "TROLLEY_ADDRESS=http://127.0.0.1:9000\nTROLLEY_BACKUP_DIRECTORY=\(directory)/backups\n", to: file)
        try await run()
        #expect(FileManager.default.fileExists(atPath: dropIn))
        #expect(FileManager.default.fileExists(atPath: "\(directory)/backups"))
    }

    @Test func `what can't be made changes no setting`() async throws {
        try installUnit()
        try await run("--address", "http://127.0.0.1:9000")
        let before = try #require(settings)
        try write("", to: "\(directory)/file")
        for path in ["\(directory)/file", "\(directory)/missing/backups"] {
            let error = await #expect(throws: CommandError.self, "\(path)") {
                try await run("--backup-directory", path)
            }
            #expect(error?.description.contains("nothing was changed") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: dropIn))
        // The drop-ins' directory is a file.
        try write("", to: dropIns)
        await #expect(throws: CommandError.self) { try await run("--backup-directory", "\(directory)/backups") }
        #expect(settings == before)
    }

    @Test func `a present directory that the service can't reach is told, and refused when nobody can be asked`()
        async throws
    {
        try installUnit("PrivateTmp=yes")
        let text = "TROLLEY_ADDRESS=http://127.0.0.1:9000\nTROLLEY_BACKUP_DIRECTORY=/tmp/trolley-backups\n"
        try write(text, to: file)
        let error = await #expect(throws: CommandError.self) { try await run() }
        #expect(error?.description.contains("TROLLEY_BACKUP_DIRECTORY") == true)
        #expect(error?.description.contains("PrivateTmp") == true && settings == text)
        var answers = ["", "", "", "", ""][...]
        let command = try SetupCommand.parse(["--file", file])
        try await command.run(Questions(isAsking: true) { answers.popFirst() }, units: units)
        #expect(settings?.contains("\n#TROLLEY_BACKUP_DIRECTORY=") == true)
    }
}
