import TrolleyWire

extension SessionSummary {
    /// The summary in words: 'Bob added 5, wrote 2 messages'.
    var words: String { people.map(\.words).joined(separator: " · ") }
}

extension SummarizedPerson {
    fileprivate var words: String {
        let counts = [
            ("added", added), ("changed", edited), ("marked off", markedOff), ("unmarked", unmarked),
            ("deleted", deleted), ("moved", moved),
        ]
        var words = counts.filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
        if messages > 0 { words.append(messages == 1 ? "wrote a message" : "wrote \(messages) messages") }
        if listChanges > 0 { words.append("changed the list itself") }
        return "\(name ?? "Somebody who left") \(words.joined(separator: ", "))"
    }
}
