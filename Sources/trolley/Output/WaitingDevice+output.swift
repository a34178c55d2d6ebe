import TrolleyClient
import TrolleyJournal
import TrolleyWire

extension [WaitingDevice] {
    /// 'Ben's phone (2 changes to be sent, last here on Tuesday)'.
    /// - Parameter names: of the people on the list.
    func inWords(_ names: [AccountID: String]) -> String {
        map { $0.inWords(names) }.joined(separator: ", ")
    }
}

extension WaitingDevice {
    fileprivate func inWords(_ names: [AccountID: String]) -> String {
        let whose = account.map {
            names[$0] ?? localized("somebody who left", de: "einem früheren Mitglied")
        }
        let device =
            switch (whose, name) {
            case (let whose?, let name?):
                localized("\(whose)'s '\(name.inOneLine)'", de: "„\(name.inOneLine)“ von \(whose)")
            case (let whose?, nil): localized("a device of \(whose)", de: "ein Gerät von \(whose)")
            case (nil, _): localized("a device", de: "ein Gerät")
            }
        var facts: [String] = []
        if case .holdsBack(let count) = reason {
            let changes = Noun.change.counted(count)
            facts.append(localized("\(changes) to be sent", de: "noch zu senden: \(changes)"))
        }
        var seen = lastSeenAt
        if seen == nil, case .notHeardFromSince(let time) = reason { seen = time }
        facts.append(
            seen.map { localized("last here \($0.words)", de: "zuletzt hier \($0.words)") }
                ?? localized("never heard from", de: "noch nie gemeldet"))
        return "\(device) (\(facts.joined(separator: ", ")))"
    }
}

extension JSONWriter {
    /// The member `waitingFor`.
    mutating func write(_ devices: [WaitingDevice], _ names: [AccountID: String]) {
        key("waitingFor")
        array { writer in
            for device in devices {
                writer.object { writer in
                    writer.member("device", device.device)
                    writer.member("deviceName", device.name)
                    writer.member("account", device.account)
                    writer.member("name", device.account.flatMap { names[$0] })
                    writer.member("lastSeenAt", device.lastSeenAt)
                    switch device.reason {
                    case .holdsBack(let count): writer.member("holdsBack", count)
                    case .notHeardFromSince(let time): writer.member("notHeardOfSince", time)
                    }
                }
            }
        }
    }
}
