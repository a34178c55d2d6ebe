import TrolleyJournal

/// What a stream is told of a list at the moment that it happens. A comparison with the database finds the same later.
struct StreamNote: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// The list has grown from one head to another one; `author` is the device that appended.
        case appended(from: SequenceNumber, to: SequenceNumber, author: DeviceID)
        /// The stream's account has read the list. `isOwn`: the stream's device reported it.
        case read(through: SequenceNumber, isOwn: Bool)
        /// The stream's account has changed where it keeps the list, so often by now. `isOwn`: the stream's device did.
        case placed(count: Int64, isOwn: Bool)
        /// These accounts have the list open now.
        case presence([AccountID])
        /// The stream's device was hailed.
        case hailed
        /// There is a summary for the stream's account.
        case summarized(through: SequenceNumber)
    }

    /// What a note is to a stream.
    enum Effect: Hashable, Sendable {
        /// There is something to send.
        case news
        /// The device knows it, or the stream has not begun: then the note is kept until it does.
        case nothing
        /// The stream doesn't know the list yet, so only a comparison with the database can tell the device.
        case unknownList
    }

    let list: ListID
    let event: Event
}
