public import TrolleyJournal
public import TrolleyWire

// Decides what a store does with the result of a fetch. A store reads the state of its lists, and carries out the steps
// in their order in one transaction.

/// The state of a list in a store before a fetch is stored.
public struct ReceivingList: Hashable, Sendable {
    public var token: String?
    /// Whether part of a snapshot is staged.
    public var isStaging: Bool
    /// The store has all changes up to this sequence.
    public var through: SequenceNumber
    /// Whether the list stays on this device alone.
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

/// A step of storing a page of a list.
public enum ReceivingStep: Hashable, Sendable {
    /// Delete the staged part of a snapshot.
    case unstage
    /// Stage these changes, which are part of a snapshot.
    case stage([Change])
    /// Replace the list with the staged snapshot. Entries that were applied before stay applied. Entries that the
    /// service has confirmed or taken within ``reofferWindow`` and that the snapshot lacks are offered again. Then
    /// `pass` to the snapshot's last change.
    case replace
    /// Store these changes, one by one or as ``NetChanges``.
    case take([Change])
    /// All changes up to this sequence are stored: the device's own entries that the service took up to there have come
    /// back, or were compressed away since.
    case pass(SequenceNumber)
    /// Store the token, and that the service has the list.
    case keep(token: String, isStaging: Bool)
}

extension ChangesPage {
    /// The steps for this page.
    public func steps(for list: ReceivingList) -> [ReceivingStep] {
        let isSnapshot = list.isStaging || snapshot
        let keep = ReceivingStep.keep(token: token, isStaging: isSnapshot && moreComing)
        guard isSnapshot else {
            let last = changes.last?.sequence ?? list.through
            return [.take(changes), .pass(max(list.through, last)), keep]
        }
        // A snapshot replaces the store's data only when all of its pages are here.
        let unstage: [ReceivingStep] = list.token == nil || !list.isStaging ? [.unstage] : []
        return unstage + [.stage(changes)] + (moreComing ? [] : [.replace]) + [keep]
    }
}

extension Change {
    /// Whether the change is new to the person: this device didn't make it, and the store didn't have it.
    /// - Parameters:
    ///   - isOwn: whether the change is an entry of this device.
    ///   - through: the store had all changes up to this sequence.
    public func isNews(isOwn: Bool, after through: SequenceNumber) -> Bool {
        switch body {
        case .entry: !isOwn && sequence > through
        case .share: sequence > through
        case .discard: false
        }
    }

    /// The same for a change in a snapshot.
    /// - Parameter isKnown: whether the change is an entry that was applied before.
    public func isNewsInSnapshot(isOwn: Bool, isKnown: Bool) -> Bool {
        if case .entry = body { !isOwn && !isKnown } else { false }
    }
}

// MARK: Lists without a page

/// The service's statement about a list instead of a page.
public enum ReceivedEnd: Hashable, Sendable {
    /// The service refuses the list's token.
    case tokenRefused(isUnknown: Bool)
    /// The account is no longer on the list, or the service doesn't know the list.
    case gone(ListGoneReason, isUnknown: Bool)
}

/// The store's reaction.
public enum EndStep: Hashable, Sendable {
    /// Delete the token and the staged changes, so that the next fetch brings a snapshot. The person's own list counts
    /// as unpublished, so that it is created on the service again.
    case fetchAfresh
    /// Keep somebody else's list, which the service has lost, on this device alone.
    case keepHere
    /// Give the person's own list, which the service has lost, a new id.
    case makeAnew
    /// Remove the list from the device, and move its unsent entries to the rejected ones.
    case leave(ListGoneReason)
}

extension AllChangesResponse {
    /// The lists without a page, in the order in which a store handles them.
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

// MARK: Counting

extension FetchOutcome {
    /// Counts a page that was stored.
    /// - Parameters:
    ///   - token: the list's token before.
    ///   - isNew: whether the store did not have the list.
    ///   - news: the number of changes that are new to the person.
    ///   - differs: whether the list's digest differs from the page's; then the list's token must be deleted.
    public mutating func note(_ page: ChangesPage, after token: String?, isNew: Bool, news: Int, differs: Bool) {
        self.news += news + (isNew ? 1 : 0)
        if token != page.token || !page.changes.isEmpty || differs { progressed = true }
        for case .discard(let ids, _) in page.changes.lazy.map({ $0.body }) { discarded += ids.count }
        if differs { differing += 1 }
    }

    /// Counts the reaction to a list without a page.
    /// - Parameter keptAside: the number of unsent entries that were moved to the rejected ones.
    public mutating func note(_ end: ReceivedEnd, _ step: EndStep, keptAside: Int = 0) {
        progressed = true
        if case .tokenRefused = end { expired += 1 }
        if case .leave = step { news += 1 }
        self.keptAside += keptAside
    }
}
