import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ListsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists",
        abstract: "Show the lists on this device; '*' is the current one.",
        discussion: """
            Example:
              trolley lists
            """)

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists()
        let notices = try await device.notices()
        if lists.isEmpty {
            console.say(CommandError.noList(notices).description)
        } else {
            for notice in notices { console.say(notice.sentence) }
            if !notices.isEmpty { console.say("To dismiss this: trolley queue --dismiss") }
        }
        let hidden = try await device.session() == nil ? try await device.hiddenLists() : []
        for account in hidden { console.say(account.sentence) }
        if console.terminal.isTerminal {
            let rows = lists.map {
                [$0.isCurrent ? "*" : " ", $0.name ?? "(no name)", "\($0.wanted) to buy", $0.remark]
            }
            let table = Table(rows, shrinkableColumn: 1).lines(width: Terminal.size.columns)
            for (list, line) in zip(lists, table) { console.say(list.isCurrent ? console.terminal.bold(line) : line) }
        } else {
            for list in lists {
                let remark = list.remark.isEmpty ? "" : ", \(list.remark)"
                console.say("\(list.isCurrent ? "*" : " ") \(list.name ?? "(no name)")  \(list.wanted) to buy\(remark)")
            }
        }
        console.answer { writer in
            writer.key("lists")
            writer.array { writer in
                for list in lists { writer.object { list.write(to: &$0) } }
            }
            writer.write(hidden)
        }
    }
}

extension JSONWriter {
    /// The member `hidden`.
    mutating func write(_ hidden: [HiddenLists]) {
        key("hidden")
        array { writer in
            for account in hidden {
                writer.object { writer in
                    writer.member("server", account.server)
                    writer.member("email", account.email)
                    writer.member("lists", account.lists)
                    writer.member("waiting", account.waiting)
                }
            }
        }
    }
}

extension ListSummary {
    /// Further facts: owner, sharing, and waiting changes.
    fileprivate var remark: String {
        var remarks: [String] = []
        if place.archived { remarks.append("in the archive") } else if place.pinned { remarks.append("pinned") }
        if !isLocal, let owner { remarks.append("\(owner.displayName)'s") }
        if others > 0 { remarks.append("shared with \(others)") }
        if invited > 0 { remarks.append("\(invited) invited") }
        if unread > 0 { remarks.append("\(unread) unread") }
        if isLocal, let owner {
            remarks.append("kept on this device; ask \(owner.displayName) to invite you again")
        } else if isLocal {
            remarks.append(isKept ? "kept on this device alone" : "on this device alone")
        } else if waiting > 0 {
            remarks.append("\(waiting) waiting to be sent")
        }
        if let age { remarks.append(age) }
        return remarks.joined(separator: ", ")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("colour", colour)
        writer.key("current")
        writer.bool(isCurrent)
        writer.key("local")
        writer.bool(isLocal)
        writer.key("kept")
        writer.bool(isKept || isLocal && owner != nil)
        writer.member("wanted", wanted)
        writer.member("markedOff", markedOff)
        writer.member("others", others)
        writer.member("invited", invited)
        writer.member("unread", unread)
        writer.member("owner", owner?.displayName)
        writer.member("waiting", waiting)
        writer.member("receivedAt", receivedAt)
        writer.key("pinned")
        writer.bool(place.pinned)
        writer.key("archived")
        writer.bool(place.archived)
    }
}

extension ListSummary {
    /// 'as of yesterday 17:40'; nil for a list that was fetched just now, and one on this device alone.
    var age: String? {
        guard let receivedAt else { return nil }
        let now = Timestamp.now()
        return now.milliseconds - receivedAt.milliseconds < 120_000 ? nil : "as of \(receivedAt.words)"
    }
}
