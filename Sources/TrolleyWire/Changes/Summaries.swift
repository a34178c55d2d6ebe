public import TrolleyJournal

// Summaries: when somebody's session on a list ends, the others who have not read what happened are told it in short.

/// `GET /v1/summaries`: the account's summaries of all lists that it has not read past, newest first.
public struct SummariesResponse: Hashable, Sendable, Codable {
    public var summaries: [SessionSummary]

    public init(summaries: [SessionSummary]) { self.summaries = summaries }
}

/// What others did on a list, for one person.
///
/// It covers what came after both the person's read mark and their previous summary. All devices of the person get the
/// same summary. `list` and `through` identify it.
public struct SessionSummary: Hashable, Sendable, Codable {
    public var list: ListID
    /// The summary covers the changes after this sequence.
    public var after: SequenceNumber
    /// The last change that it covers. When the read mark has reached it, the summary is gone.
    public var through: SequenceNumber
    public var madeAt: Timestamp
    /// The people with changes, never the account itself; at least one.
    public var people: [SummarizedPerson]

    public init(
        list: ListID, after: SequenceNumber, through: SequenceNumber, madeAt: Timestamp, people: [SummarizedPerson]
    ) {
        self.list = list
        self.after = after
        self.through = through
        self.madeAt = madeAt
        self.people = people
    }
}

/// What one person did, as counts. See ``ChangeTally`` for what counts.
public struct SummarizedPerson: Hashable, Sendable, Codable {
    public var account: AccountID
    /// nil when the account was deleted.
    public var name: String?
    public var added: Int
    public var edited: Int
    public var markedOff: Int
    public var unmarked: Int
    public var deleted: Int
    public var moved: Int
    /// Changes of the list's name, colour or order of aisles.
    public var listChanges: Int
    /// Messages written, without deleted ones.
    public var messages: Int

    public init(account: AccountID, name: String? = nil, _ tally: ChangeTally) {
        self.account = account
        self.name = name
        added = tally.added
        edited = tally.edited
        markedOff = tally.markedOff
        unmarked = tally.unmarked
        deleted = tally.deleted
        moved = tally.moved
        listChanges = tally.listChanges
        messages = tally.messages
    }
}

extension SessionSummary: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("list", list)
            writer.member("after", after)
            writer.member("through", through)
            writer.member("madeAt", madeAt)
            writer.member("people", people)
        }
    }
}

extension SummarizedPerson: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("account", account)
            writer.member("name", ifAny: name)
            writer.member("added", added)
            writer.member("edited", edited)
            writer.member("markedOff", markedOff)
            writer.member("unmarked", unmarked)
            writer.member("deleted", deleted)
            writer.member("moved", moved)
            writer.member("listChanges", listChanges)
            writer.member("messages", messages)
        }
    }
}

/// Names a summary of an account.
public struct SummaryPosition: Hashable, Sendable, Codable {
    public var list: ListID
    public var through: SequenceNumber

    public init(list: ListID, through: SequenceNumber) {
        self.list = list
        self.through = through
    }
}

/// What a person wants to be told of a list.
public enum NotificationLevel: String, CaseIterable, Hashable, Sendable, Codable {
    /// Each change. The service makes summaries, too; the device tells of changes, which the event stream announces.
    case all
    /// Summaries. This is the default.
    case summaries
    /// The service makes no summaries for the person.
    case nothing
}

/// `PUT /v1/lists/{id}/notifications`, and the answer to `GET` and `PUT`. It holds for the account on all its devices.
public struct NotificationPreference: Hashable, Sendable, Codable {
    public var level: NotificationLevel

    public init(level: NotificationLevel) { self.level = level }
}
