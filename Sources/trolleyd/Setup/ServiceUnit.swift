import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What systemd lets the service write, by the file of its unit and the drop-ins (systemd.unit(5), systemd.exec(5)).
struct ServiceUnit {
    /// Where systemd looks for units. The first place counts.
    static let directories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Where an operator's drop-ins are.
    let dropIns: String
    /// The drop-in that setup writes.
    var dropIn: String { "\(dropIns)/\(Self.dropInName)" }
    private static let dropInName = "trolleyd-setup.conf"
    /// The values of each setting, in the order in which systemd reads them.
    private var settings: [String: [String]] = [:]

    /// Reads the unit of the service, without the drop-in that setup has written.
    /// - Parameters:
    ///   - directories: where units are, see ``directories``.
    ///   - file: a file of settings.
    /// - Returns: nil when no unit is installed, or it reads its settings from another file.
    init?(in directories: [String], reading file: String) {
        let name = "trolleyd.service"
        guard let first = directories.first,
            let unit = directories.map({ "\($0)/\(name)" }).first(where: {
                FileManager.default.fileExists(atPath: $0)
            })
        else { return nil }
        dropIns = "\(first)/\(name).d"
        var others: [String: String] = [:]
        for directory in directories.reversed().map({ "\($0)/\(name).d" }) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            for name in names where name.hasSuffix(".conf") { others[name] = "\(directory)/\(name)" }
        }
        others[Self.dropInName] = nil
        for path in [unit] + others.sorted(by: { $0.key < $1.key }).map(\.value) {
            read((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
        }
        let files = (settings["EnvironmentFile"] ?? []).map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
        guard files.contains(file) else { return nil }
    }

    private mutating func read(_ text: String) {
        var section = ""
        var held = ""
        for part in text.split(whereSeparator: \.isNewline) {
            let line = String(part).trimmingSpaces
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasSuffix("\\") {
                held += "\(line.dropLast()) "
                continue
            }
            let whole = held + line
            held = ""
            if whole.hasPrefix("[") { section = whole }
            guard section == "[Service]", let equals = whole.firstIndex(of: "=") else { continue }
            let name = String(whole[..<equals]).trimmingSpaces
            let value = String(whole[equals...].dropFirst()).trimmingSpaces
            // An empty value takes back those before it.
            settings[name] = value.isEmpty ? [] : settings[name, default: []] + [value]
        }
    }

    /// The user that the service runs as; nil: root.
    var user: String? { settings["User"]?.last }

    /// Where the unit itself puts the backup before an upgrade; nil: into the data directory.
    var backupDirectory: String? {
        let prefix = "TROLLEY_BACKUP_DIRECTORY="
        return words("Environment").last { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
    }

    // MARK: What it may write

    enum Access: Equatable {
        case writable
        /// A drop-in can allow it.
        case readOnly
        /// The service sees another directory there, or none, because of a setting of its unit.
        case hidden(by: String)
    }

    func access(to directory: String) -> Access {
        let place = Self.resolved(directory)
        func isIn(_ paths: [String]) -> Bool {
            paths.map(Self.resolved).contains { $0 == "/" || place == $0 || place.hasPrefix("\($0)/") }
        }
        let bound = paths("BindPaths").compactMap { $0.split(separator: ":").prefix(2).last.map(String.init) }
        if isIn(bound) { return .writable }
        let home = ["/home", "/root", "/run/user"]
        let isHomeReadOnly = settings["ProtectHome"]?.last == "read-only"
        let hiding = [
            ("ProtectHome", isHomeReadOnly ? [] : home), ("PrivateTmp", ["/tmp", "/var/tmp"]),
            ("PrivateDevices", ["/dev"]), ("ProtectKernelTunables", ["/proc", "/sys"]),
        ]
        for (setting, paths) in hiding where isOn(setting) && isIn(paths) { return .hidden(by: setting) }
        if isIn(paths("InaccessiblePaths")) { return .hidden(by: "InaccessiblePaths") }
        let own = [("StateDirectory", "/var/lib"), ("CacheDirectory", "/var/cache"), ("LogsDirectory", "/var/log")]
            .flatMap { setting, parent in words(setting).map { "\(parent)/\($0.prefix { $0 != ":" })" } }
        if isIn(paths("ReadWritePaths") + own) { return .writable }
        let isReadOnly =
            isIn(paths("ReadOnlyPaths")) || isHomeReadOnly && isIn(home)
            || isOn("ProtectSystem") && isIn(protectedBySystem)
        return isReadOnly ? .readOnly : .writable
    }

    private var protectedBySystem: [String] {
        switch settings["ProtectSystem"]?.last {
        case "strict": ["/"]
        case "full": ["/usr", "/boot", "/efi", "/etc"]
        default: ["/usr", "/boot", "/efi"]
        }
    }

    private func isOn(_ setting: String) -> Bool {
        guard let value = settings[setting]?.last else { return false }
        return !["no", "false", "off", "0", "n", "f"].contains(value.lowercased())
    }

    private func paths(_ setting: String) -> [String] {
        words(setting).map { String($0.drop { $0 == "-" || $0 == "+" }) }
    }

    private func words(_ setting: String) -> [String] { (settings[setting] ?? []).flatMap(Self.words(in:)) }

    /// The words of a value. Quotation marks hold one together; after a backslash a character is itself.
    private static func words(in value: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in value {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else if !isEscaped, character == quote {
                quote = nil
            } else if !isEscaped, quote == nil, character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if !isEscaped, quote == nil, character.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
                isEscaped = false
            }
        }
        if let whole = word { words.append(whole) }
        return words.map { $0.replacing("%%", with: "%") }
    }

    /// A path without symbolic links, as far as it exists.
    static func resolved(_ path: String) -> String {
        var existing = path.split(separator: "/")
        var missing: [Substring] = []
        while true {
            if let real = realpath("/\(existing.joined(separator: "/"))", nil) {
                defer { free(real) }
                let parts = String(cString: real).split(separator: "/") + missing
                return "/\(parts.joined(separator: "/"))"
            }
            guard let last = existing.popLast() else { return path }
            missing.insert(last, at: 0)
        }
    }
}
