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
        let whose = account.map { names[$0] ?? "somebody who left" }
        let device =
            switch (whose, name) {
            case (let whose?, let name?): "\(whose)'s '\(name.inOneLine)'"
            case (let whose?, nil): "a device of \(whose)"
            case (nil, _): "a device"
            }
        var facts: [String] = []
        if case .holdsBack(let count) = reason { facts.append("\(count) change\(count == 1 ? "" : "s") to be sent") }
        var seen = lastSeenAt
        if seen == nil, case .notHeardFromSince(let time) = reason { seen = time }
        facts.append(seen.map { "last here \($0.words)" } ?? "never heard from")
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
