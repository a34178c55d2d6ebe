import Foundation
import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyModule

/// A room on a list, in the module.
@Suite("Rooms in the WebAssembly module", .timeLimit(.minutes(20)))
struct ModuleRoomTests {
    @Test func `random rooms decide and show as natively`() throws {
        var run = ModuleRun()
        for seed in 1...100 as ClosedRange<UInt64> {
            var random = RandomJournal(seed: seed)
            let room = Int32(seed)
            run.add(.openRoom, 0, "{\(random.member(0))}")
            var clock: Int64 = 1_772_000_000_000
            for _ in 0..<100 {
                clock += Int64(random.below(3000))
                let at = Timestamp(milliseconds: clock)
                let bits = (0..<3).map { _ in "\"\(EntryID(UUIDBits(high: random.bits(), low: random.bits())))\"" }
                run.add(
                    .room, room,
                    #"{"event":\#(random.roomEvent(at)),"at":"\#(at)","random":[\#(bits.joined(separator: ","))]}"#)
            }
            for _ in 0..<12 { random.confirm(items: 2) }
            let entries = random.entries
            run.add(
                .doubleBuys, 0, #"{"entries":\#(entries.json),"news":["\#(entries[entries.count - 1].entry.id)"]}"#)
        }
        let answers = try run.expectSame()
        #expect(answers.first { $0.hasPrefix("!") } == nil)
        for part in [
            #""type":"makeRoom""#, #""type":"hail""#, #""type":"deleteHail""#, #""type":"connect""#,
            #""type":"disconnect""#, #""type":"send""#, #""type":"fetch""#, #""type":"doubleBuy""#, #""phase":"live""#,
            #""isAdded":true"#, #""frame":{"frame":"withdrawn""#, #""frame":{"frame":"landed""#,
        ] {
            #expect(answers.contains { $0.contains(part) }, "no \(part) among the answers")
        }
    }

    @Test func `a room is made, entered and left, and a bad event changes nothing`() throws {
        var run = ModuleRun()
        let random = RandomJournal(seed: 3)
        let at = Timestamp(milliseconds: 1_772_000_000_000)
        func note(_ event: String, random: String = "") {
            run.add(.room, 1, #"{"event":\#(event),"at":"\#(at)","random":[\#(random)]}"#)
        }
        let bits = (1...3).map { #""00000000-0000-4000-8000-00000000000\#($0)""# }.joined(separator: ",")
        let room = "00000000-0000-4000-8000-000000000001"
        let address = #""room":"\#(room)","list":"\#(room)""#
        run.add(.openRoom, 0, "{\(random.member(0))}")
        let devices = (0...1).map { random.presentDevice($0, since: at) }.joined(separator: ",")
        note(#"{"type":"presence","devices":[\#(devices)]}"#)
        note(#"{"type":"presence","devices":[\#(devices)]}"#, random: bits)
        note(#"{"type":"made","expiresAt":"\#(at.advanced(byMilliseconds: 5000))"}"#)
        note(#"{"type":"joined",\#(address),"others":[{\#(random.member(1))}]}"#)
        note(#"{"type":"said",\#(address),\#(random.member(1)),"body":"","frame":{"frame":"typing"}}"#)
        note(#"{"type":"said",\#(address),\#(random.member(1)),"body":"","frame":{"frame":"dancing"}}"#)
        note(#"{"type":"said",\#(address),\#(random.member(1)),"body":"","frame":{"frame":"withdrawn"}}"#)
        note(#"{"type":"waved","room":"\#(room)"}"#)
        note(#"{"type":"stop"}"#)
        run.add(.closeRoom, 1)
        note(#"{"type":"tick"}"#)
        let answers = try run.expectSame()
        #expect(answers[1].hasPrefix("!"), "without randomness: \(answers[1])")
        #expect(answers[2].contains(#""type":"makeRoom","credentials":{"ver":1,"roomID":"\#(room)","secret":"AAAA"#))
        // The service's time for the room is shorter.
        #expect(answers[3].contains(#""expiresAt":"\#(at.advanced(byMilliseconds: 5000))"}}"#))
        #expect(answers[4].contains(#""phase":"live""#) && answers[5].contains(#""typing":[{"account""#))
        #expect(answers[6].hasPrefix("{") && answers[7].hasPrefix("!") && answers[8].hasPrefix("{"))
        #expect(answers[9].contains(#""type":"disconnect""#) && answers[9].contains(#""phase":"idle""#))
        #expect(answers[11].hasPrefix("!"), "closed: \(answers[11])")
    }
}

extension RandomJournal {
    func member(_ number: Int) -> String {
        #""account":"\#(AccountID(UUIDBits(high: 4, low: UInt64(number))))","device":"\#(RandomJournal.device(number))""#
    }

    func presentDevice(_ number: Int, since: Timestamp) -> String {
        #"{\#(member(number)),"since":"\#(since)","hailKey":"key"}"#
    }

    private static func room(_ number: Int) -> RoomID { RoomID(UUIDBits(high: 5, low: UInt64(number))) }

    mutating func roomEvent(_ at: Timestamp) -> String {
        let room = Self.room(oneIn(4) ? 1 : 0), member = member(below(3)), item = RandomJournal.item(below(3))
        let address = #""room":"\#(room)","list":"\#(EntryID(UUIDBits(high: 8, low: 0)))""#
        switch below(16) {
        case 0, 1:
            let since = at.advanced(byMilliseconds: Int64(below(3)) - 90_000)
            let devices = (0..<(oneIn(4) ? below(2) : 3)).map { presentDevice($0, since: since) }
            return #"{"type":"presence","devices":[\#(devices.joined(separator: ","))]}"#
        case 2, 3:
            let credentials = RoomCredentials(
                room: room, secret: [UInt8](repeating: 7, count: 32), createdAt: at,
                expiresAt: at.advanced(byMilliseconds: oneIn(5) ? -1 : 3_600_000))
            let text = String(decoding: credentials.json, as: UTF8.self).replacing("\"", with: "\\\"")
            let sealed = oneIn(5) ? "null" : "\"\(oneIn(9) ? "{}" : text)\""
            return #"{"type":"hail","id":"\#(item)","room":"\#(room)",\#(member),"credentials":\#(sealed)}"#
        case 4:
            return oneIn(4)
                ? #"{"type":"makingFailed"}"#
                : #"{"type":"made","expiresAt":"\#(at.advanced(byMilliseconds: 900_000))"}"#
        case 5, 6: return #"{"type":"joined",\#(address),"remaining":9,"others":[{\#(member)}]}"#
        case 7: return #"{"type":"entered",\#(address),\#(member)}"#
        case 8:
            return oneIn(3)
                ? #"{"type":"left",\#(address),"device":"\#(RandomJournal.device(below(3)))"}"#
                : oneIn(2)
                    ? #"{"type":"closed",\#(address),"reason":"\#(pick(["left", "expired", "bored"]))"}"#
                    : #"{"type":"refused",\#(address),"code":"\#(pick(ProblemCode.allCases).rawValue)"}"#
        case 9, 10, 11:
            let change = TentativeChange(
                entry: EntryID(UUIDBits(high: 6, low: bits() % 40)),
                operation: pick([.add, .edit, .markOff, .markOff, .unmark, .delete]),
                item: item, text: oneIn(2) ? text() : nil)
            let frame = pick([
                RoomFrame.looking(oneIn(3) ? nil : item), .typing(nil), .tentative(change), .tentative(change),
                .withdrawn(change.entry), .landed(SequenceNumber(rawValue: 5_000_000_000)), .unknown,
            ])
            return
                #"{"type":"said",\#(address),\#(member),"body":"","frame":\#(String(decoding: frame.json, as: UTF8.self))}"#
        case 12: return #"{"type":"\#(pick(["look", "type"]))","item":\#(oneIn(3) ? "null" : "\"\(item)\"")}"#
        case 13, 14:
            let waiting = (0..<below(4)).map { _ in
                var entry = entry(items: 3, operations: [.add, .edit, .markOff, .markOff, .unmark, .delete, .move])
                entry.id = EntryID(UUIDBits(high: 7, low: bits() % 12))
                var writer = JSONWriter()
                entry.write(to: &writer)
                return String(decoding: writer.bytes, as: UTF8.self)
            }
            let arrived = (0..<below(4)).map { _ in "\"\(EntryID(UUIDBits(high: 6 + bits() % 2, low: bits() % 12)))\"" }
            return
                #"{"type":"journal","waiting":[\#(waiting.joined(separator: ","))],"arrived":[\#(arrived.joined(separator: ","))],"through":\#(bits() >> 30)}"#
        default: return pick([#"{"type":"tick"}"#, #"{"type":"lost"}"#, #"{"type":"tick"}"#, #"{"type":"stop"}"#])
        }
    }
}
