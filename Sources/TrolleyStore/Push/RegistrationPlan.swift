import TrolleyJournal
import TrolleyWire

/// Decides what programs that are registered for one list are told.
struct RegistrationPlan {
    /// A registration, and what already waits to be sent to it.
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
        let contentWaits: Bool
        let propertiesWait: Bool
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
        /// It has nothing to be told.
        case pass(Permission)
        case tell(content: Bool, properties: Bool, Permission)
    }

    /// The permissions of the people on the list.
    let permissions: [AccountID: Permission]
    let changes: [Change]

    /// A program isn't told of its own changes. What waits for it is told with the rest, because the new message replaces it.
    func verdict(on program: Program) -> Verdict {
        guard let permission = permissions[program.account] else { return .end }
        let others = changes.filter { $0.device != program.device }
        func isNews(_ sequence: SequenceNumber?) -> Bool { sequence.map { $0 > program.toldThrough } ?? false }
        let content = program.wantsContent && others.contains { isNews($0.content) }
        let properties =
            program.wantsProperties
            && (permission != program.toldPermission || others.contains { isNews($0.properties) })
        guard content || properties else { return .pass(permission) }
        return .tell(
            content: content || program.contentWaits, properties: properties || program.propertiesWait, permission)
    }
}
