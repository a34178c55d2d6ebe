import Foundation
import Testing
import TrolleyJournal
import TrolleyWire

/// `Tests/Vectors`: cases of every rule, checked by hand, for this implementation and any other.
@Suite("Vectors", .timeLimit(.minutes(20)))
struct VectorTests {
    @Test("A vector's state, digest, discards, new anchors and undo plans come out", arguments: try Vector.all())
    func comesOut(_ vector: Vector) throws {
        let inspection = Inspection(of: vector.entries, olderThan: vector.cutOff)
        let seen = try vector.object(inspection)
        for key in ["state", "digest", "discarded", "anchors"] {
            #expect(vector.expected(key) == vector.value(seen, key), "\(key)")
        }
        // Absent where there are none.
        #expect(vector.expected("messages") == vector.value(seen, "messages"))
        try expectUndo(vector)
        try expectAppending(vector)
    }

    @Test("Vectors are found")
    func found() throws {
        let count = try Vector.all().count
        print("vectors: \(count)")
        #expect(count > 30)
    }

    /// `undo`: the next undo and redo of the device's person.
    private func expectUndo(_ vector: Vector) throws {
        guard let undo = vector.document["undo"] as? [String: Any] else { return }
        let device = try #require((undo["device"] as? String).flatMap { DeviceID($0) })
        let log = UndoLog(of: device, replaying: vector.entries)
        let fold = ListFold(folding: vector.entries)
        if undo["undo"] != nil {
            #expect(vector.value(undo, "undo") == Vector.json(log.planUndo(over: fold).map(\.object)))
        }
        if undo["redo"] != nil {
            #expect(vector.value(undo, "redo") == Vector.json(log.planRedo(over: fold).map(\.object)))
        }
    }

    /// `append`: the service's resolution of entries that arrive after compression; `afterwards`: the state on all devices.
    private func expectAppending(_ vector: Vector) throws {
        guard let steps = vector.document["append"] as? [[String: Any]] else { return }
        var live = Compression(of: vector.entries, olderThan: vector.cutOff).applied(to: vector.entries)
        var resolver = AppendResolver(activity: vector.entries, live: live)
        var activity = vector.entries
        for step in steps {
            let entry = try Vector.entry(from: step["entry"])
            let resolution = resolver.resolve(entry)
            #expect(vector.value(step, "lifted") == Vector.json(resolution.relocated.map(\.description)))
            #expect(vector.value(step, "returning") == Vector.json(resolution.restored.map(\.returningObject)))
            #expect(vector.value(step, "after") == Vector.json(resolution.entry.entry.after?.description ?? NSNull()))
            activity.append(entry)
            live.removeAll { resolution.relocated.contains($0.entry.id) }
            for var entry in resolution.restored + [resolution.entry] {
                entry.sequence = (live.last?.sequence ?? .start).advanced(by: 1)
                live.append(entry)
            }
        }
        let afterwards = try #require(vector.document["afterwards"] as? [String: Any])
        #expect(afterwards["digest"] as? String == ListState(folding: live).digest.description)
        #expect(ListState(folding: live).digest == ListState(folding: activity).digest)
    }
}

extension EntryDraft {
    fileprivate var object: [String: Any] {
        var object: [String: Any] = ["operation": operation.rawValue, "cause": cause.rawValue]
        object["item"] = item?.description
        object["reverts"] = reverts?.description
        if operation.places { object["after"] = after?.description ?? NSNull() }
        if !fields.isEmpty {
            object["fields"] = Dictionary(
                uniqueKeysWithValues: fields.map { ($0.key, $0.value.string.map { $0 as Any } ?? NSNull()) })
        }
        return object
    }
}

extension ConfirmedEntry {
    fileprivate var returningObject: [String: Any] {
        ["id": entry.id.description, "after": entry.after?.description ?? NSNull()]
    }
}
