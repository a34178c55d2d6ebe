import GRDB
import TrolleyJournal
import TrolleySync

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// A list's entries, from its bundles and, between and behind them, from the rows themselves.

extension StoreTransaction {
    /// Calls `body` with the entries of a list, in order, without loading all of them into memory.
    ///
    /// If a reading transaction had to decrypt many of them one by one, it notes new bundles, which ``SQLiteStore`` stores
    /// afterwards.
    /// - Parameters:
    ///   - rows: selects a place, and then what `open` takes, of a list's rows between two places.
    ///   - limit: rows from this place on get into no bundle; nil: bundles are neither read nor made.
    func forEachBundled<Entry: BundledEntry>(
        of list: ListRow, rows: Statement, before limit: Int64?, open: (Row) throws -> Entry,
        _ body: (Entry) throws -> Void
    ) throws {
        var maker = BundleMaker<Entry>(before: limit ?? .min, sizes: folds.bundleSizes)
        var passed = Int64.min
        if limit != nil {
            let bundles = try Row.fetchCursor(
                db, sql: "SELECT first, last, content FROM bundle WHERE list = ? AND kind = ? ORDER BY last",
                arguments: [list.key, Entry.kind.rawValue])
            while let bundle = try bundles.next() {
                let (first, last): (Int64, Int64) = (bundle[0], bundle[1])
                // One that can't be read is as good as none: its rows are read instead.
                guard first > passed, let entries: [Entry] = self.entries(of: bundle, in: list) else { continue }
                try forEachRow(of: list, rows, in: (passed, first), into: &maker, open: open, body)
                for entry in entries { try body(entry) }
                passed = last
            }
        }
        try forEachRow(of: list, rows, in: (passed, .max), into: &maker, open: open, body)
        if let made = maker.made { folds.make(MadeBundles(list: list, kind: Entry.kind, bundles: made)) }
    }

    /// Calls `body` with the entries of the rows between two places.
    private func forEachRow<Entry: BundledEntry>(
        of list: ListRow, _ statement: Statement, in places: (after: Int64, before: Int64),
        into maker: inout BundleMaker<Entry>, open: (Row) throws -> Entry, _ body: (Entry) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(statement, arguments: [list.key, places.after, places.before])
        while let row = try rows.next() {
            let entry = try open(row)
            maker.take(entry, at: row[0])
            try body(entry)
        }
        maker.endBundle()
    }

    /// - Returns: nil when the bundle can't be read.
    private func entries<Entry: BundledEntry>(of bundle: Row, in list: ListRow) -> [Entry]? {
        let place = EntryBundle.place(of: list.key, Entry.kind, first: bundle[0], last: bundle[1])
        guard let content = try? key.open(bundle[2], at: place) else { return nil }
        return content.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> [Entry]? in
            var reader = BundleReader(bytes)
            var entries: [Entry] = []
            entries.reserveCapacity(1000)
            while !reader.isAtEnd {
                guard let entry = try? Entry(from: &reader) else { return nil }
                entries.append(entry)
            }
            return entries
        }
    }

    /// Stores bundles, unless the list has changed since they were made.
    func store(_ made: MadeBundles) throws {
        let version = try Int64.fetchOne(db, sql: "SELECT version FROM list WHERE key = ?", arguments: [made.list])
        guard version == made.version else { return }
        for bundle in made.bundles {
            try db.cachedStatement(sql: "DELETE FROM bundle WHERE list = ? AND kind = ? AND last >= ? AND first <= ?")
                .execute(arguments: [made.list, made.kind.rawValue, bundle.first, bundle.last])
            let place = EntryBundle.place(of: made.list, made.kind, first: bundle.first, last: bundle.last)
            try db.cachedStatement(
                sql: "INSERT INTO bundle (list, kind, first, last, content) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [
                made.list, made.kind.rawValue, bundle.first, bundle.last, try key.seal(bundle.bytes, at: place),
            ])
        }
    }
}

/// Bundles that a transaction has made of one version of a list.
struct MadeBundles: Sendable {
    var list: Int64
    var version: Int64
    var kind: BundleKind
    var bundles: [EntryBundle]

    init(list: ListRow, kind: BundleKind, bundles: [EntryBundle]) {
        self.list = list.key
        version = list.version
        self.kind = kind
        self.bundles = bundles
    }
}

/// How many entries get into bundles.
struct BundleSizes: Sendable {
    /// Fewer entries are decrypted in less time than a write to the disk takes.
    var worthStoring = 500
    /// The largest number of entries in a bundle. A change to one of them drops the bundle, and reading it takes memory for all.
    var most = 1000
    /// The largest number of bundles that one transaction makes of a list. The next one goes on.
    var mostAtOnce = 100
}

/// Makes bundles of the entries that were read one by one.
private struct BundleMaker<Entry: BundledEntry> {
    private let limit: Int64
    private let sizes: BundleSizes?
    private var bundles: [EntryBundle] = []
    private var count = 0
    private var countInLast = 0
    private var writer = BundleWriter()
    private var first: Int64 = 0
    private var last: Int64 = 0

    /// - Parameter sizes: nil: it makes none.
    init(before limit: Int64, sizes: BundleSizes?) {
        self.limit = limit
        self.sizes = sizes
    }

    mutating func take(_ entry: Entry, at place: Int64) {
        guard let sizes, place < limit, bundles.count < sizes.mostAtOnce else { return }
        if countInLast == 0 { first = place }
        last = place
        entry.write(to: &writer)
        count += 1
        countInLast += 1
        if countInLast == sizes.most { endBundle() }
    }

    /// Ends the bundle, since the next row doesn't follow this one, or because it has enough entries.
    mutating func endBundle() {
        guard countInLast > 0 else { return }
        bundles.append(EntryBundle(first: first, last: last, bytes: writer.bytes))
        writer = BundleWriter()
        countInLast = 0
    }

    /// The bundles; nil: too few entries were read one by one.
    var made: [EntryBundle]? {
        guard let sizes, count >= sizes.worthStoring else { return nil }
        return bundles
    }
}
