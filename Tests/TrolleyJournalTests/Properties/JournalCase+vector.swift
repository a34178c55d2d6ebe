import Foundation
import TrolleyJournal

extension JournalCase {
    /// The journal in the form of `Tests/Vectors`, ready to be kept as a vector.
    var vectorText: String {
        let document: [String: Any] = [
            "olderThan": cutOff.milliseconds == .max ? "9999-12-31T23:59:59.000Z" : cutOff.description,
            "appended": appended, "entries": entries.map(\.wireObject),
        ]
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: document, options: options)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension ConfirmedEntry {
    fileprivate var wireObject: [String: Any] {
        var object: [String: Any] = [
            "id": entry.id.description, "operation": entry.operation.rawValue, "cause": entry.cause.rawValue,
            "deviceSequence": entry.deviceSequence, "sequence": sequence.rawValue, "author": author.description,
            "device": device.description, "madeAt": madeAt.description, "receivedAt": receivedAt.description,
        ]
        object["item"] = entry.item?.description ?? NSNull()
        object["after"] = entry.after?.description ?? NSNull()
        object["batch"] = entry.batch?.description ?? NSNull()
        object["reverts"] = entry.reverts?.description ?? NSNull()
        object["fields"] = Dictionary(uniqueKeysWithValues: entry.fields.map { ($0.key, $0.value.wireObject) })
        return object
    }
}

extension FieldValue {
    fileprivate var wireObject: Any {
        switch self {
        case .string(let text): text
        case .null: NSNull()
        case .json(let text):
            (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) ?? NSNull()
        }
    }
}
