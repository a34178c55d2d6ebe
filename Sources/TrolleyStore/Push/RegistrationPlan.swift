import TrolleyJournal
import TrolleyWire

/// Decides what the programs that are registered for one list are told.
struct RegistrationPlan {
    /// A registration, and what a message that waits for it tells.
    struct Program {
        let id: RegistrationID
        let list: ListID
        let target: WebhookID
        let account: AccountID
        let device: DeviceID
        let wantsContent: Bool
        let wantsProperties: Bool
        var toldThrough: SequenceNumber
        let toldPermission: Permission
        var contentWaits = false
        var propertiesWait = false
    }

    /// What a device has changed.
    struct Change {
        let device: DeviceID
        /// Its newest change of an item.
        let content: SequenceNumber?
        /// Its newest change of the list's name or colour.
        let properties: SequenceNumber?
    }

    enum Verdict: Hashable {
        /// The person is no longer on the list.
        case end
        /// There is no news for it.
        case pass(Permission)
        case tell(content: Bool, properties: Bool, Permission)
    }

    let head: SequenceNumber
    /// The permissions of the people on the list.
    let permissions: [AccountID: Permission]
    let changes: [Change]

    /// A program isn't told of its own changes. A new message also tells what the waiting one tells, which it replaces.
    func verdict(on program: Program) -> Verdict {
        guard let permission = permissions[program.account] else { return .end }
        // The list was restored, and has lost changes of which the program knows.
        let isBehind = head < program.toldThrough
        let others = changes.filter { $0.device != program.device }
        func isNews(_ sequence: SequenceNumber?) -> Bool { sequence.map { $0 > program.toldThrough } ?? false }
        let content = program.wantsContent && (isBehind || others.contains { isNews($0.content) })
        let properties =
            program.wantsProperties
            && (isBehind || permission != program.toldPermission || others.contains { isNews($0.properties) })
        guard content || properties else { return .pass(permission) }
        return .tell(
            content: content || program.contentWaits, properties: properties || program.propertiesWait, permission)
    }
}
