extension Fields {
    /// Of an imported message, and of an added item or a message that somebody else brought back: the name of the person
    /// who wrote it.
    public static let writtenBy = "writtenBy"
    /// The same: when it was written, as RFC 3339 has it.
    public static let writtenAt = "writtenAt"
}

extension Message {
    /// The writer and the time of an imported message. The ``author`` is the person who imported it.
    public struct Origin: Hashable, Sendable {
        /// nil: the file had no name.
        public var name: String?
        public var at: Timestamp
    }

    /// nil: the message was written here.
    public var origin: Origin? {
        guard let text = fields[Fields.writtenAt]?.string, let at = Timestamp(text) else { return nil }
        return Origin(name: fields[Fields.writtenBy]?.string, at: at)
    }
}
