import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// The properties of the resources below `/dav/` (RFC 4918 §15, 4791 §5.2 and §6.2, 5397, 6578, and what Apple's and the
/// calendar server's clients ask for).
struct CalendarProperties: Sendable {
    let session: Session
    let account: AccountResponse
    let tokenKey: ChangeToken.Key
    let limits: Limits
    /// nil: lists have no push.
    let push: PushOffer?

    enum Target: Sendable {
        case root, principal, home
        /// The owner of a list that is shared with the account.
        case owner(AccountID, name: String)
        case list(CalendarHead, part: String)
        case item(CalendarItem, of: CalendarHead, part: String)
    }

    typealias Value = (inout XMLWriter) -> Void

    func href(of target: Target) -> String {
        switch target {
        case .root: CalendarResource.rootPath
        case .principal: CalendarResource.principalPath(session.account)
        case .owner(let account, _): CalendarResource.principalPath(account)
        case .home: CalendarResource.homePath
        case .list(_, let part): CalendarResource.path(ofList: part)
        case .item(let item, _, let part): CalendarResource.path(ofItem: item.name, in: part)
        }
    }

    /// What `allprop` gives: short properties only.
    private static let common: [XMLName] = [
        .dav("resourcetype"), .dav("displayname"), .dav("getetag"), .dav("getcontenttype"), .dav("getcontentlength"),
        .dav("getlastmodified"), .dav("creationdate"), .dav("current-user-principal"), .dav("sync-token"),
        .server("getctag"), .calendar("supported-calendar-component-set"), .calendar("calendar-home-set"),
    ]

    private static let protected: Set<XMLName> = [
        .dav("getetag"), .dav("getcontentlength"), .dav("getlastmodified"), .dav("creationdate"), .dav("owner"),
        .dav("current-user-principal"), .dav("current-user-privilege-set"), .dav("supported-report-set"),
        .dav("sync-token"), .server("getctag"),
    ]

    /// Whether only the service writes the property.
    static func isProtected(_ name: XMLName) -> Bool { protected.contains(name) }

    func names(of target: Target) -> [XMLName] { Self.common.filter { value($0, of: target) != nil } }

    /// nil: the resource has no such property.
    func value(_ name: XMLName, of target: Target) -> Value? {
        switch name {
        case .dav("current-user-principal"):
            return { $0.href(CalendarResource.principalPath(session.account)) }
        case .dav("principal-URL") where target.isPrincipal:
            return { $0.href(CalendarResource.principalPath(session.account)) }
        case .dav("principal-collection-set"): return { $0.href(CalendarResource.rootPath) }
        case .dav("current-user-privilege-set"):
            return { writer in
                for privilege in privileges(on: target) {
                    writer.element(.dav("privilege")) { $0.element(privilege) }
                }
            }
        case .dav("supported-report-set"): return reports(of: target)
        default: break
        }
        switch target {
        case .root:
            return name == .dav("resourcetype")
                ? { $0.element(.dav("collection")) } : text("Trolley", if: name, "displayname")
        case .principal: return principal(name)
        case .owner(let account, let ownName): return owner(name, account, ownName)
        case .home: return home(name)
        case .list(let head, _): return list(name, head)
        case .item(let item, let head, _): return self.item(name, item, head)
        }
    }

    private func text(_ text: String, if name: XMLName, _ local: String) -> Value? {
        name == .dav(local) ? { $0.write(text) } : nil
    }

    private func privileges(on target: Target) -> [XMLName] {
        var privileges: [XMLName] = [.dav("read"), .dav("read-current-user-privilege-set")]
        let mayWrite: Bool =
            switch target {
            case .root, .principal, .owner: false
            case .home: session.scope?.isReadOnly != true && session.scope?.lists == nil
            case .list(let head, _), .item(_, let head, _):
                head.permission == .readWrite && session.scope?.isReadOnly != true
            }
        if mayWrite {
            if case .home = target {
                privileges += [.dav("bind"), .dav("unbind")]
            } else {
                privileges += [
                    .dav("write"), .dav("write-content"), .dav("write-properties"), .dav("bind"), .dav("unbind"),
                ]
            }
        }
        return privileges
    }

    private func reports(of target: Target) -> Value {
        let reports: [XMLName] =
            switch target {
            case .root: [.dav("principal-property-search"), .dav("principal-search-property-set")]
            case .list: [.calendar("calendar-query"), .calendar("calendar-multiget"), .dav("sync-collection")]
            case .principal, .owner, .home, .item: []
            }
        return { writer in
            for report in reports {
                writer.element(.dav("supported-report")) { $0.element(.dav("report")) { $0.element(report) } }
            }
        }
    }

    private func principal(_ name: XMLName) -> Value? {
        switch name {
        case .dav("resourcetype"):
            return {
                $0.element(.dav("collection"))
                $0.element(.dav("principal"))
            }
        case .dav("displayname"): return { $0.write(account.name) }
        case .calendar("calendar-home-set"): return { $0.href(CalendarResource.homePath) }
        case .calendar("calendar-user-address-set"):
            return {
                $0.href("mailto:\(account.email)")
                $0.href(CalendarResource.principalPath(session.account))
            }
        case .server("email-address-set"): return { $0.element(.server("email-address"), account.email) }
        default: return nil
        }
    }

    private func owner(_ name: XMLName, _ account: AccountID, _ ownName: String) -> Value? {
        switch name {
        case .dav("resourcetype"): { $0.element(.dav("principal")) }
        case .dav("displayname"): { $0.write(ownName) }
        case .dav("principal-URL"): { $0.href(CalendarResource.principalPath(account)) }
        default: nil
        }
    }

    private func home(_ name: XMLName) -> Value? {
        switch name {
        case .dav("resourcetype"): { $0.element(.dav("collection")) }
        case .dav("displayname"): { $0.write("Lists") }
        case .dav("owner"): { $0.href(CalendarResource.principalPath(session.account)) }
        default: nil
        }
    }

    private func list(_ name: XMLName, _ head: CalendarHead) -> Value? {
        switch name {
        case .dav("resourcetype"):
            return {
                $0.element(.dav("collection"))
                $0.element(.calendar("calendar"))
            }
        case .dav("displayname"): return { $0.write(head.name ?? "List") }
        case .dav("owner"): return { $0.href(CalendarResource.principalPath(head.owner)) }
        case .dav("sync-token"), .server("getctag"): return { $0.write(syncToken(of: head)) }
        case .calendar("supported-calendar-component-set"):
            return { $0.element(.calendar("comp"), [("name", "VTODO")]) }
        case .calendar("supported-calendar-data"):
            return {
                $0.element(.calendar("calendar-data"), [("content-type", "text/calendar"), ("version", "2.0")])
            }
        case .calendar("max-resource-size"): return { $0.write("\(limits.bytesOfFields)") }
        case .dav("getcontenttype"): return { $0.write("text/calendar; charset=utf-8") }
        case .apple("calendar-color"):
            guard let colour = CalendarColour.hexadecimal(of: head.colour) else { return nil }
            return { $0.write(colour) }
        default: return push?.value(name, of: head.list)
        }
    }

    private func item(_ name: XMLName, _ item: CalendarItem, _ head: CalendarHead) -> Value? {
        switch name {
        case .dav("resourcetype"): return { _ in }
        case .dav("getetag"): return { $0.write(item.etag(in: head.epoch)) }
        case .dav("getcontenttype"): return { $0.write("text/calendar; charset=utf-8; component=vtodo") }
        case .dav("getcontentlength"): return { $0.write("\(item.object(in: head).utf8.count)") }
        case .dav("getlastmodified"): return { $0.write(item.changedAt.httpText) }
        case .dav("creationdate"): return { $0.write(item.createdAt.description) }
        case .calendar("calendar-data"): return { $0.write(item.object(in: head)) }
        default: return nil
        }
    }

    func syncToken(of head: CalendarHead) -> String {
        Self.syncToken(of: head.list, at: head.head, head.epoch, tokenKey)
    }

    static func syncToken(
        of list: ListID, at sequence: SequenceNumber, _ epoch: UUIDBits, _ key: ChangeToken.Key
    ) -> String {
        tokenPrefix + ChangeToken(list: list, epoch: epoch, sequence: sequence).text(key: key)
    }

    /// Sync tokens are URIs (RFC 6578 §4).
    static let tokenPrefix = "urn:x-trolley:sync:"
}

extension CalendarProperties.Target {
    fileprivate var isPrincipal: Bool { if case .principal = self { true } else { false } }
}

extension CalendarItem {
    /// The last part of its address: as the client chose it that made the item, otherwise its id.
    var name: String { item.fields[Todo.nameKey]?.string ?? "\(item.id).ics" }

    /// Its version: the epoch and the sequence of its last change.
    func etag(in epoch: UUIDBits) -> String { "\"\(version(in: epoch).text)\"" }

    func version(in epoch: UUIDBits) -> ItemVersion { ItemVersion(epoch: epoch.high, sequence: sequence) }

    var todo: Todo { Todo(item, order: order) }

    /// The task as clients read it.
    func object(in head: CalendarHead) -> String {
        var todo = todo
        todo.version = TaskVersion(self, in: head).text(of: item.id, in: head.list)
        return todo.object(createdAt: createdAt, changedAt: changedAt, markedOffAt: markedOffAt)
    }
}

/// The content of an etag.
struct ItemVersion: Hashable, Sendable {
    let epoch: UInt64
    let sequence: SequenceNumber

    init(epoch: UInt64, sequence: SequenceNumber) {
        self.epoch = epoch
        self.sequence = sequence
    }

    /// - Returns: nil for an etag of another server.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let epoch = UInt64(parts[0], radix: 16), let number = Int64(parts[1]), number > 0
        else { return nil }
        self.init(epoch: epoch, sequence: SequenceNumber(rawValue: number))
    }

    var text: String { "\(String(epoch, radix: 16))-\(sequence.rawValue)" }
}
