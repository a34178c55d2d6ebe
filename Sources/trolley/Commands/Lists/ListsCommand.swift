import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ListsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "lists",
            abstract: localized(
                "Show the lists on this device; '*' is the current one.",
                de: "Die Listen auf diesem Gerät zeigen; „*“ ist die aktuelle."),
            discussion: discussion(
                examples: """
                    trolley lists
                    """))
    }

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists()
        let notices = try await device.notices()
        if lists.isEmpty {
            console.say(CommandError.noList(notices).description)
        } else {
            for notice in notices { console.say(notice.sentence) }
            if !notices.isEmpty {
                console.say(
                    localized(
                        "To dismiss this: trolley queue --dismiss", de: "Um das auszublenden: trolley queue --dismiss"))
            }
        }
        let hidden = try await device.session() == nil ? try await device.hiddenLists() : []
        for account in hidden { console.say(account.sentence) }
        if console.terminal.isTerminal {
            let rows = lists.map {
                [$0.isCurrent ? "*" : " ", $0.name ?? ListSummary.unnamed, ListSummary.toBuy($0.wanted), $0.remark]
            }
            let table = Table(rows, shrinkableColumn: 1).lines(width: Terminal.size.columns)
            for (list, line) in zip(lists, table) { console.say(list.isCurrent ? console.terminal.bold(line) : line) }
        } else {
            for list in lists {
                let remark = list.remark.isEmpty ? "" : ", \(list.remark)"
                let name = list.name ?? ListSummary.unnamed
                console.say("\(list.isCurrent ? "*" : " ") \(name)  \(ListSummary.toBuy(list.wanted))\(remark)")
            }
        }
        console.answer { writer in
            ListsAnswer(lists.map(\.answer)).writeMembers(to: &writer)
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
        if place.archived {
            remarks.append(localized("in the archive", de: "im Archiv"))
        } else if place.pinned {
            remarks.append(localized("pinned", de: "angeheftet"))
        }
        if !isLocal, let owner {
            remarks.append(localized("\(owner.displayName)'s", de: "gehört \(owner.displayName)"))
        }
        if others > 0 { remarks.append(localized("shared with \(others)", de: "geteilt mit \(others)")) }
        if invited > 0 { remarks.append(localized("\(invited) invited", de: "\(invited) eingeladen")) }
        if unread > 0 { remarks.append(localized("\(unread) unread", de: "\(unread) ungelesen")) }
        if isLocal, let owner {
            remarks.append(
                localized(
                    "kept on this device; ask \(owner.displayName) to invite you again",
                    de: "bleibt auf diesem Gerät; bitte \(owner.displayName), dich wieder einzuladen"))
        } else if isLocal {
            remarks.append(
                isKept
                    ? localized("kept on this device alone", de: "bleibt nur auf diesem Gerät")
                    : localized("on this device alone", de: "nur auf diesem Gerät"))
        } else if waiting > 0 {
            remarks.append(localized("\(waiting) waiting to be sent", de: "noch zu senden: \(waiting)"))
        }
        if let age { remarks.append(age) }
        return remarks.joined(separator: ", ")
    }

    fileprivate var answer: ListsAnswer.Row {
        var row = ListsAnswer.Row(id: id, name: name, colour: colour, wanted: wanted, markedOff: markedOff)
        row.isCurrent = isCurrent
        row.isLocal = isLocal
        row.isKept = isKept || isLocal && owner != nil
        row.others = others
        row.invited = invited
        row.unread = unread
        row.owner = owner?.displayName
        row.waiting = waiting
        row.receivedAt = receivedAt
        row.place = place
        return row
    }
}

extension ListSummary {
    /// 'as of yesterday 17:40'; nil for a list that was fetched just now, and one on this device alone.
    var age: String? {
        guard let receivedAt else { return nil }
        let now = Timestamp.now()
        return now.milliseconds - receivedAt.milliseconds < 120_000
            ? nil : localized("as of \(receivedAt.words)", de: "Stand \(receivedAt.words)")
    }
}
