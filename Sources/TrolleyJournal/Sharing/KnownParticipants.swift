/// The participants of an older state of a share that were not yet found in the newer one. Finding a person takes the same time
/// however many there are.
struct KnownParticipants {
    /// nil: found.
    private var participants: [Participant?]
    // The places of participants, the first one last.
    private var byAccount: [AccountID: [Int]] = [:]
    private var byAddress: [AddressKey: [Int]] = [:]
    /// Of those without an account.
    private var withoutAccount: [AddressKey: [Int]] = [:]

    init(_ participants: [Participant]) {
        // A conversion of the array would be a cast.
        self.participants = participants.map { Optional($0) }
        for index in participants.indices.reversed() {
            let participant = participants[index]
            if let account = participant.account { byAccount[account, default: []].append(index) }
            guard let address = participant.address else { continue }
            byAddress[address, default: []].append(index)
            if participant.account == nil { withoutAccount[address, default: []].append(index) }
        }
    }

    /// Those that were not found, in order.
    var rest: [Participant] { participants.compactMap { $0 } }

    /// Finds the first participant that is the same person, see ``Participant/isSamePerson(as:)``.
    mutating func take(_ participant: Participant) -> Participant? {
        var first: Int?
        if let account = participant.account { first = Self.next(in: &byAccount[account], of: participants) }
        if let address = participant.address {
            let other =
                participant.account == nil
                ? Self.next(in: &byAddress[address], of: participants)
                : Self.next(in: &withoutAccount[address], of: participants)
            if let other { first = min(first ?? other, other) }
        }
        guard let first else { return nil }
        defer { participants[first] = nil }
        return participants[first]
    }

    /// The first place in a list that was not found yet.
    private static func next(in places: inout [Int]?, of participants: [Participant?]) -> Int? {
        while let last = places?.last {
            WorkCounter.step()
            if participants[last] != nil { return last }
            places?.removeLast()
        }
        return nil
    }
}

extension Participant {
    /// The address in lower case.
    fileprivate var address: AddressKey? { email.map { AddressKey(text: $0.inLowerCase) } }
}

/// An address, compared by its bytes.
private struct AddressKey: Hashable {
    let text: String

    static func == (left: AddressKey, right: AddressKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
