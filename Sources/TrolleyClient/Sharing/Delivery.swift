public import TrolleyJournal
import TrolleyWire

/// How far a list's changes have come to the other people on it.
public struct Delivery: Hashable, Sendable {
    /// Another person on the list.
    public struct Person: Hashable, Sendable {
        public var participant: Participant
        /// Whether the person has the list open now.
        public var isPresent: Bool
        /// Changes up to here are on one of the person's devices.
        public var received: SequenceNumber
        /// The person has seen changes up to here.
        public var read: SequenceNumber
    }

    /// The others who have accepted.
    public var people: [Person]

    /// - Parameters:
    ///   - response: the service's answer about the list's people.
    ///   - account: the own account, which is left out.
    init(_ response: ShareResponse, without account: AccountID) {
        func mark(_ marks: [ReadMark]?, _ account: AccountID) -> SequenceNumber {
            marks?.first { $0.account == account }?.through ?? .start
        }
        people = response.share.participants.compactMap { participant in
            guard let other = participant.account, other != account, participant.status == .accepted else { return nil }
            let read = mark(response.reads, other)
            return Person(
                participant: participant, isPresent: response.presence?.contains { $0.account == other } == true,
                received: max(mark(response.received, other), read), read: read)
        }
    }

    /// How far a change has come to a person.
    ///
    /// ```swift
    /// let delivery = try await list.delivery()
    /// let last = try await list.messages().last
    /// for person in delivery.people { print(delivery.step(of: last?.sequence, to: person)) }
    /// ```
    /// - Parameters:
    ///   - sequence: the change's place in the list; nil while it waits in the upload queue.
    ///   - person: one of ``people``.
    public func step(of sequence: SequenceNumber?, to person: Person) -> DeliveryStep {
        guard let sequence else { return .queued }
        return sequence <= person.read ? .seen : sequence <= person.received ? .onDevice : .onService
    }
}
