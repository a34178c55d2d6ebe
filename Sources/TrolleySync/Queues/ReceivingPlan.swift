public import TrolleyJournal
public import TrolleyWire

// What a store does with what a fetch brought. It is decided here. A store looks up how its list stands, and carries the
// steps out in their order, all of them in one transaction.

/// How a list stands in a store before a fetch is taken in.
public struct ReceivingList: Hashable, Sendable {
    public var token: String?
    /// Whether part of a snapshot is staged.
    public var isStaging: Bool
    /// The sequence that the store has everything up to.
    public var through: SequenceNumber
    /// Whether the list is to stay on this device alone.
    public var isLocal: Bool
    /// Whether the service has the list, as far as the store knows.
    public var isPublished: Bool

    public init(
        token: String?, isStaging: Bool, through: SequenceNumber, isLocal: Bool = false, isPublished: Bool = true
    ) {
        self.token = token
        self.isStaging = isStaging
        self.through = through
        self.isLocal = isLocal
        self.isPublished = isPublished
    }
}

/// A step of taking in a page of a list.
public enum ReceivingStep: Hashable, Sendable {
    /// Forget what is staged of a snapshot.
    case unstage
    /// Stage these changes: they are part of a snapshot.
    case stage([Change])
    /// Put the staged snapshot in the place of what the list was. Entries that were applied before stay applied; what the
    /// service has confirmed or taken in the last ``offeredAgainFor`` and the snapshot lacks is offered again. Then
    /// `pass` to the snapshot's last change.
    case replace
    /// Take in these changes, one after the other or as ``NetChanges``.
    case take([Change])
    /// All changes up to this sequence are in: entries of one's own that the service took up to there have come back, or
    /// were compressed away since.
    case pass(SequenceNumber)
    /// Keep the token, and that the service has the list.
    case keep(token: String, isStaging: Bool)
}

extension ChangesPage {
    /// What a store does with this page.
    public func steps(for list: ReceivingList) -> [ReceivingStep] {
        let isSnapshot = list.isStaging || snapshot
        let keep = ReceivingStep.keep(token: token, isStaging: isSnapshot && moreComing)
        guard isSnapshot else {
            let last = changes.last?.sequence ?? list.through
            return [.take(changes), .pass(max(list.through, last)), keep]
        }
        // A snapshot replaces what the store has, but only once all of its pages are here.
        let unstage: [ReceivingStep] = list.token == nil || !list.isStaging ? [.unstage] : []
        return unstage + [.stage(changes)] + (moreComing ? [] : [.replace]) + [keep]
    }
}

extension Change {
    /// Whether the person has not seen it: not what this device has made, nor what came before.
    /// - Parameters:
    ///   - isOwn: whether it is an entry of this device's.
    ///   - through: the sequence that the store had everything up to.
    public func isNews(isOwn: Bool, after through: SequenceNumber) -> Bool {
        switch body {
        case .entry: !isOwn && sequence > through
        case .share: sequence > through
        case .discard: false
        }
    }

    /// The same of a change in a snapshot.
    /// - Parameter isKnown: whether it is an entry that was applied before.
    public func isNewsInSnapshot(isOwn: Bool, isKnown: Bool) -> Bool {
        if case .entry = body { !isOwn && !isKnown } else { false }
    }
}

// MARK: Lists that the service says more of than changes

/// What the service says of a list instead of a page.
public enum ReceivedEnd: Hashable, Sendable {
    /// It does not honour the list's token.
    case tokenRefused(isUnknown: Bool)
    /// The person has the list no more, or the service does not know it.
    case gone(ListGoneReason, isUnknown: Bool)
}

/// What a store does about it.
public enum EndStep: Hashable, Sendable {
    /// Forget the token and what is staged: the next fetch brings a snapshot. A list of one's own counts as unpublished, so it
    /// is made on the service once more.
    case fetchAfresh
    /// Keep the list on this device alone: the service has lost it, and it is somebody else's.
    case keepHere
    /// Make a list of one's own anew under another id: the service has lost it.
    case makeAnew
    /// Take the list off the device, and put its unsent entries with the refused ones.
    case leave(ListGoneReason)
}

extension AllChangesResponse {
    /// The lists that it brings no page of, in the order in which a store takes them.
    public var ends: [(list: ListID, end: ReceivedEnd)] {
        let unknown = Set(unknown)
        return expired.map { ($0, .tokenRefused(isUnknown: unknown.contains($0))) }
            + gone.sorted { $0.key < $1.key }.map { ($0.key, .gone($0.value, isUnknown: unknown.contains($0.key))) }
    }
}

extension ReceivedEnd {
    /// - Parameter isOwn: whether the list is the person's own.
    /// - Returns: nil when there is nothing to do.
    public func step(for list: ReceivingList, isOwn: Bool) -> EndStep? {
        if list.isLocal { return nil }
        switch self {
        case .tokenRefused(let isUnknown):
            if list.token == nil, !list.isPublished { return nil }
            if isUnknown, !isOwn { return .keepHere }
            return list.token != nil || isOwn ? .fetchAfresh : nil
        case .gone(let reason, let isUnknown):
            if !isUnknown { return .leave(reason) }
            return isOwn ? .makeAnew : .keepHere
        }
    }
}

// MARK: What came of it

extension Receipt {
    /// Notes a page that was taken in.
    /// - Parameters:
    ///   - token: the list's token before.
    ///   - isNew: whether the store did not have the list.
    ///   - news: how many of the changes are news.
    ///   - differs: whether the list has another digest than the page expects; then its token is to be forgotten.
    public mutating func note(_ page: ChangesPage, after token: String?, isNew: Bool, news: Int, differs: Bool) {
        self.news += news + (isNew ? 1 : 0)
        if token != page.token || !page.changes.isEmpty || differs { progressed = true }
        for case .discard(let ids, _) in page.changes.lazy.map({ $0.body }) { discarded += ids.count }
        if differs { differing += 1 }
    }

    /// Notes what was done with a list that there is no page of.
    /// - Parameter keptAside: unsent entries that were put with the refused ones.
    public mutating func note(_ end: ReceivedEnd, _ step: EndStep, keptAside: Int = 0) {
        progressed = true
        if case .tokenRefused = end { expired += 1 }
        if case .leave = step { news += 1 }
        self.keptAside += keptAside
    }
}
