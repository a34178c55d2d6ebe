package import TrolleyJournal

/// What a process tells the others that serve the same database: the lists, accounts and devices that a change concerns. It
/// contains nothing that people wrote. The receiver asks the database who may know of the change.
package enum ChangeSignal: Hashable, Sendable {
    /// A device has appended to a list, from one head to another one.
    case appended(ListID, from: SequenceNumber, to: SequenceNumber, by: DeviceID)
    /// Something else has changed that concerns the people on a list, and only them.
    case list(ListID)
    /// The people on a list, or what they may do, have changed. Somebody may have lost the list.
    case people(ListID)
    /// An account has got or lost lists or sessions.
    case account(AccountID)
    case signedOut(DeviceID)
    /// An account has got a hosted device.
    case hosted(AccountID)
    /// The process that leads may have something to do earlier than it knows.
    case work
    /// Anything may have changed.
    case everything
}

extension ChangeSignal {
    /// One line.
    fileprivate var line: String {
        switch self {
        case .appended(let list, let from, let to, let device):
            "a \(list) \(from.rawValue) \(to.rawValue) \(device)"
        case .list(let list): "l \(list)"
        case .people(let list): "p \(list)"
        case .account(let account): "c \(account)"
        case .signedOut(let device): "o \(device)"
        case .hosted(let account): "h \(account)"
        case .work: "w"
        case .everything: "*"
        }
    }

    /// - Parameter line: of a kind that this version doesn't know: then anything may have changed.
    fileprivate init(line: Substring) {
        let words = line.split(separator: " ")
        func id<ID: Identifier>(_ index: Int, as type: ID.Type = ID.self) -> ID? {
            words.indices.contains(index) ? ID(String(words[index])) : nil
        }
        func sequence(_ index: Int) -> SequenceNumber? {
            words.indices.contains(index) ? Int64(words[index]).map { SequenceNumber(rawValue: $0) } : nil
        }
        let signal: ChangeSignal? =
            switch words.first {
            case "a":
                if let list = id(1, as: ListID.self), let from = sequence(2), let to = sequence(3),
                    let device = id(4, as: DeviceID.self)
                {
                    .appended(list, from: from, to: to, by: device)
                } else {
                    nil
                }
            case "l": id(1).map { .list($0) }
            case "p": id(1).map { .people($0) }
            case "c": id(1).map { .account($0) }
            case "o": id(1).map { .signedOut($0) }
            case "h": id(1).map { .hosted($0) }
            case "w": .work
            default: nil
            }
        self = signal ?? .everything
    }
}

/// The payload of a NOTIFY: who sends it, and a line for each signal.
enum ChangePayload {
    /// PostgreSQL allows fewer than 8,000 bytes.
    static let maximumBytes = 7900
    /// More payloads than this at once are more than a comparison of everything costs.
    static let maximumCount = 16

    static func payloads(of signals: Set<ChangeSignal>, from sender: String) -> [String] {
        var payloads: [String] = []
        var payload = sender
        for signal in signals {
            let line = signal.line
            if payload.utf8.count + line.utf8.count + 1 > maximumBytes {
                payloads.append(payload)
                payload = sender
            }
            payload += "\n\(line)"
        }
        payloads.append(payload)
        return payloads.count > maximumCount ? ["\(sender)\n\(ChangeSignal.everything.line)"] : payloads
    }

    /// - Returns: nil when `name` has sent it. A process of an earlier version sends its name alone: anything may have changed.
    static func signals(in payload: String, except name: String) -> [ChangeSignal]? {
        let lines = payload.split(separator: "\n")
        if lines.first.map(String.init) == name { return nil }
        return lines.count < 2 ? [.everything] : lines.dropFirst().map { ChangeSignal(line: $0) }
    }
}
