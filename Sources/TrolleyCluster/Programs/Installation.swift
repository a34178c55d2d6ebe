internal import FoundationEssentials

/// The PostgreSQL binaries of one version.
struct Installation: Sendable, Hashable {
    static let oldestVersion = 15

    let directory: String
    let version: Int

    var initdb: String { "\(directory)/initdb" }
    var postgres: String { "\(directory)/postgres" }

    /// Finds the first suitable version in this order: `$PATH`, `pg_config`, then the directories of packages, newest
    /// first. `dataVersion`: the major version that wrote the data, if there are any.
    static func find(in chosen: String?, dataVersion: Int?) async throws(ClusterError) -> Installation {
        let directories = if let chosen { [chosen] } else { await candidates() }
        var found: [Installation] = []
        for directory in directories {
            guard FileManager.default.isExecutableFile(atPath: "\(directory)/initdb"),
                let version = await version(of: "\(directory)/postgres")
            else { continue }
            let installation = Installation(directory: directory, version: version)
            if version == dataVersion || (dataVersion == nil && version >= oldestVersion) { return installation }
            found.append(installation)
        }
        guard let first = found.first else { throw .notInstalled(searched: directories) }
        if let dataVersion, dataVersion >= oldestVersion {
            throw .otherVersion(data: dataVersion, installed: found.map(\.version))
        }
        throw .tooOld(version: first.version, path: first.directory)
    }

    /// - Parameter program: the program that a directory in `$PATH` must contain to count.
    static func candidates(with program: String = "postgres") async -> [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // /usr/local/bin/postgres may be a link into the real directory, which contains the other programs.
        var all = path.split(separator: ":").compactMap { directory -> String? in
            let binary = "\(directory)/\(program)"
            guard FileManager.default.isExecutableFile(atPath: binary) else { return nil }
            let real = URL(filePath: binary).resolvingSymlinksInPath().path
            return String(real.dropLast("/\(program)".count))
        }
        if let directory = await firstLine(of: ["pg_config", "--bindir"]) { all.append(directory) }
        for (root, suffix) in [
            ("/usr/lib/postgresql", "bin"), ("/usr/local/lib/postgresql", "bin"), ("/opt/homebrew/opt", "bin"),
        ] {
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            let newestFirst = versions.filter { Int($0) != nil || $0.hasPrefix("postgresql") }
                .sorted { (number(in: $0), $0) > (number(in: $1), $1) }
            all += newestFirst.map { "\(root)/\($0)/\(suffix)" }
        }
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }

    static func version(of binary: String) async -> Int? {
        // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        guard let words = await firstLine(of: [binary, "--version"])?.split(separator: " "), words.count >= 3
        else { return nil }
        return number(in: String(words[2]))
    }

    /// The first run of digits: "postgresql@16" is 16, "18beta1" is 18.
    static func number(in text: String) -> Int {
        Int(text.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
    }

    private static func firstLine(of command: [String]) async -> String? {
        guard let outcome = try? await Program(command: command).run(), outcome.succeeded else { return nil }
        return String(outcome.output.prefix { !$0.isNewline })
    }
}
