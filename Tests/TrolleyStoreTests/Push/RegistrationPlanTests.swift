import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("What registered programs are told", .timeLimit(.minutes(20)))
struct RegistrationPlanTests {
    private let anna = AccountID.made()
    private let ben = AccountID.made()
    private let phone = DeviceID.made()
    private let laptop = DeviceID.made()

    /// Anna's phone, which was told up to 10.
    private func program(
        content: Bool = true, properties: Bool = true, contentWaits: Bool = false, propertiesWait: Bool = false
    ) -> RegistrationPlan.Program {
        RegistrationPlan.Program(
            id: .made(), list: .made(), target: .made(), account: anna, device: phone, wantsContent: content,
            wantsProperties: properties, toldThrough: SequenceNumber(rawValue: 10), toldPermission: .readWrite,
            contentWaits: contentWaits, propertiesWait: propertiesWait)
    }

    private func change(
        _ device: DeviceID, content: Int64? = nil, properties: Int64? = nil
    ) -> RegistrationPlan.Change {
        RegistrationPlan.Change(
            device: device, content: content.map { SequenceNumber(rawValue: $0) },
            properties: properties.map { SequenceNumber(rawValue: $0) })
    }

    private func plan(
        _ changes: RegistrationPlan.Change..., permission: Permission? = .readWrite, head: Int64 = 12
    ) -> RegistrationPlan {
        var permissions: [AccountID: Permission] = [ben: .readWrite]
        permissions[anna] = permission
        return RegistrationPlan(head: SequenceNumber(rawValue: head), permissions: permissions, changes: changes)
    }

    @Test("a program is told of others' changes since the last time, also of the same person's other devices")
    func others() {
        #expect(
            plan(change(laptop, content: 11)).verdict(on: program())
                == .tell(content: true, properties: false, .readWrite))
        #expect(plan(change(laptop, content: 10)).verdict(on: program()) == .pass(.readWrite))
        #expect(plan(change(phone, content: 11, properties: 12)).verdict(on: program()) == .pass(.readWrite))
        #expect(
            plan(change(phone, content: 12), change(laptop, properties: 11)).verdict(on: program())
                == .tell(content: false, properties: true, .readWrite))
    }

    @Test("it is told what it has asked for")
    func asked() {
        let both = plan(change(laptop, content: 12, properties: 11))
        #expect(both.verdict(on: program()) == .tell(content: true, properties: true, .readWrite))
        #expect(
            both.verdict(on: program(properties: false)) == .tell(content: true, properties: false, .readWrite))
        #expect(both.verdict(on: program(content: false)) == .tell(content: false, properties: true, .readWrite))
        #expect(plan(change(laptop, content: 12)).verdict(on: program(content: false)) == .pass(.readWrite))
    }

    @Test("another permission is a changed property, and who is no longer on the list is told nothing")
    func permission() {
        #expect(
            plan(permission: .readOnly).verdict(on: program()) == .tell(content: false, properties: true, .readOnly))
        #expect(plan(permission: .readOnly).verdict(on: program(properties: false)) == .pass(.readOnly))
        #expect(plan(change(laptop, content: 11), permission: nil).verdict(on: program()) == .end)
    }

    @Test("a program that was told of more than a restored list has is told, whatever it lacks")
    func restored() {
        #expect(plan(head: 9).verdict(on: program()) == .tell(content: true, properties: true, .readWrite))
        #expect(
            plan(head: 9).verdict(on: program(content: false)) == .tell(content: false, properties: true, .readWrite))
        #expect(plan(permission: nil, head: 9).verdict(on: program()) == .end)
        #expect(plan(head: 10).verdict(on: program()) == .pass(.readWrite))
    }

    @Test("what waits to be told is told with the rest")
    func waiting() {
        let added = plan(change(laptop, content: 11))
        #expect(
            added.verdict(on: program(propertiesWait: true)) == .tell(content: true, properties: true, .readWrite))
        let renamed = plan(change(laptop, properties: 11))
        #expect(
            renamed.verdict(on: program(contentWaits: true)) == .tell(content: true, properties: true, .readWrite))
        #expect(plan().verdict(on: program(contentWaits: true)) == .pass(.readWrite))
    }
}

extension Identifier {
    fileprivate static func made() -> Self { .version7(at: .now, random: RandomBits.random) }
}
