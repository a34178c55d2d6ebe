public import TrolleyJournal

/// `GET /v1/hosted/{device}/queue`: the counts of all entries, and the first entries of each part.
public struct HostedQueues: Hashable, Sendable {
    public struct Queue: Hashable, Sendable {
        /// The number of entries of each operation.
        public var counts: [Operation: Int]
        /// The first entries, in order.
        public var entries: [JournalEntry]

        public init(counts: [Operation: Int] = [:], entries: [JournalEntry] = []) {
            self.counts = counts
            self.entries = entries
        }

        /// The number of all entries.
        public var count: Int { counts.values.reduce(0, +) }
    }

    public struct List: Hashable, Sendable {
        public var id: ListID
        public var name: String?
        /// Entries that the service has not taken.
        public var upload: Queue
        /// Received entries that are not acknowledged.
        public var toApply: Queue

        public init(id: ListID, name: String?, upload: Queue = Queue(), toApply: Queue = Queue()) {
            self.id = id
            self.name = name
            self.upload = upload
            self.toApply = toApply
        }
    }

    /// An entry that the service rejected for good.
    public struct Rejected: Hashable, Sendable {
        public var list: ListID
        public var listName: String?
        public var entry: JournalEntry
        public var code: ProblemCode
        public var detail: String?
        public var at: Timestamp

        public init(
            list: ListID, listName: String?, entry: JournalEntry, code: ProblemCode, detail: String?, at: Timestamp
        ) {
            self.list = list
            self.listName = listName
            self.entry = entry
            self.code = code
            self.detail = detail
            self.at = at
        }
    }

    public var lists: [List]
    /// The first rejected entries, oldest first.
    public var rejected: [Rejected]
    /// The number of all rejected entries.
    public var rejectedCount: Int
    /// When the next try is due, after a failed one.
    public var nextTry: Timestamp?

    public init(lists: [List], rejected: [Rejected] = [], rejectedCount: Int = 0, nextTry: Timestamp?) {
        self.lists = lists
        self.rejected = rejected
        self.rejectedCount = rejectedCount
        self.nextTry = nextTry
    }

    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.object { writer in
            writer.member("waiting", lists.reduce(0) { $0 + $1.upload.count })
            writer.member("nextTry", nextTry)
            writer.member("lists", lists)
            writer.member("rejected", rejected)
            writer.member("rejectedCount", rejectedCount)
        }
        return writer.bytes
    }
}

extension HostedQueues.Queue: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        let operations = Operation.allCases.compactMap { operation in
            counts[operation].map { (operation: operation, count: $0) }
        }
        writer.queue(count: count, operations, entries: entries)
    }
}

extension HostedQueues.List: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", id)
            writer.member("name", name)
            writer.key("upload")
            upload.write(to: &writer)
            writer.key("toApply")
            toApply.write(to: &writer)
        }
    }
}

extension HostedQueues.Rejected: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("list", list)
            writer.member("name", listName)
            writer.member("code", code)
            writer.member("detail", detail ?? code.title)
            writer.member("at", at)
            writer.member("entry", entry)
        }
    }
}

extension [JournalEntry] {
    /// The number of entries of each operation, in the order of the operations.
    public var countsByOperation: [(operation: Operation, count: Int)] {
        Operation.allCases.compactMap { operation in
            let count = count { $0.operation == operation }
            return count > 0 ? (operation, count) : nil
        }
    }

    /// Writes a queue: the number of its entries, the number of each operation, and the entries.
    public func writeQueue(to writer: inout JSONWriter) {
        writer.queue(count: count, countsByOperation, entries: self)
    }
}

extension JSONWriter {
    fileprivate mutating func queue(
        count: Int, _ operations: [(operation: Operation, count: Int)], entries: [JournalEntry]
    ) {
        object { writer in
            writer.member("count", count)
            writer.member("operations") { writer in
                for (operation, count) in operations {
                    writer.key(operation.rawValue)
                    writer.integer(Int64(count))
                }
            }
            writer.member("entries", entries)
        }
    }
}
