public import TrolleyJournal
public import TrolleyWire

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
    /// nil: the store is in the service's own database and is restored with it, so it never asks whose a list is.
    public var owner: ListOwner?

    public init(
        token: String?, isStaging: Bool, through: SequenceNumber, isLocal: Bool = false, isPublished: Bool = true,
        owner: ListOwner? = nil
    ) {
        self.token = token
        self.isStaging = isStaging
        self.through = through
        self.isLocal = isLocal
        self.isPublished = isPublished
        self.owner = owner
    }

    /// Whether the list is the person's own.
    public var isOwn: Bool { owner?.isOwn(isStaging: isStaging) ?? false }
}

/// A step of storing a page of a list.
public enum ReceivingStep: String, Hashable, Sendable {
    /// Delete the staged part of a snapshot.
    case unstage
    /// Stage the page's changes, which are part of a snapshot.
    case stage
    /// Delete the received entries, and remember which of them were applied.
    case clear
    /// Store the page's changes, one by one or as ``NetChanges``. An entry of this device leaves its own entries, and the
    /// rejected ones (``RejectedEntry/hasArrived(as:)``). Each change goes through
    /// ``ReceivingPlan/take(_:isOwn:wasApplied:)``.
    case take
    /// The same for the staged changes, in their order.
    case takeStaged
    /// Offer entries of this device again that the service has confirmed or accepted within ``reofferWindow`` and that
    /// the store has not received.
    case reoffer
    /// Store that all changes up to ``ReceivingPlan/through`` are here, and ``ReceivingPlan/owner``'s proof. The device's
    /// own entries up to there have come back, or were compressed away since.
    case pass
    /// Store the page's token, ``ReceivingPlan/isStaging``, and that the service has the list.
    case keep
    /// Compare the digest of all received entries with the page's. If it differs, delete the token and set
    /// ``ReceivingPlan/differs``.
    case compare
}

/// What a plan has to know of a page.
public struct ReceivedPage: Hashable, Sendable {
    /// Whether the page begins a snapshot.
    public var isSnapshot: Bool
    public var moreComing: Bool
    public var isEmpty: Bool
    /// Whether the page has a digest to compare.
    public var hasDigest: Bool
    /// The page's end, if that is behind its last change.
    public var through: SequenceNumber?

    public init(
        isSnapshot: Bool, moreComing: Bool, isEmpty: Bool, hasDigest: Bool, through: SequenceNumber? = nil
    ) {
        self.isSnapshot = isSnapshot
        self.moreComing = moreComing
        self.isEmpty = isEmpty
        self.hasDigest = hasDigest
        self.through = through
    }

    public init(_ page: ChangesPage) {
        self.init(
            isSnapshot: page.snapshot, moreComing: page.moreComing, isEmpty: page.changes.isEmpty,
            hasDigest: page.expectedDigest != nil, through: page.through)
    }
}

/// What a change is about.
public enum ReceivedKind: Sendable {
    case entry, discard
    case share(owner: AccountID?)

    fileprivate init(_ body: Change.Body) {
        switch body {
        case .entry: self = .entry
        case .share(let share): self = .share(owner: share.owner)
        case .discard: self = .discard
        }
    }
}

/// Decides how a store handles a page of a list. The store reads the list's state, and executes the steps in their
/// order, in one transaction.
public struct ReceivingPlan: Sendable {
    public let steps: [ReceivingStep]
    /// Whether part of a snapshot is staged after the store has stored the page.
    public let isStaging: Bool
    /// The store has all changes up to this sequence after it has stored the page.
    public private(set) var through: SequenceNumber
    /// The number of changes that are new to the person.
    public private(set) var news = 0
    /// Whose the list is after the changes that were taken.
    public private(set) var owner: ListOwner?
    /// Whether the list's digest differs from the page's.
    public var differs = false
    /// The list's state before.
    public let list: ReceivingList
    private let isSnapshot: Bool

    /// The steps that replace a list with the staged snapshot. Entries that were applied before stay applied.
    private static let replacement: [ReceivingStep] = [.clear, .takeStaged, .unstage, .reoffer, .pass]

    private init(
        _ steps: [ReceivingStep], in list: ReceivingList, isSnapshot: Bool, isStaging: Bool, through: SequenceNumber?
    ) {
        self.steps = steps
        self.list = list
        self.isSnapshot = isSnapshot
        self.isStaging = isStaging
        owner = list.owner
        self.through = max(isSnapshot ? .start : list.through, through ?? .start)
    }

    public init(storing page: ChangesPage, in list: ReceivingList) { self.init(storing: ReceivedPage(page), in: list) }

    public init(storing page: ReceivedPage, in list: ReceivingList) {
        let isSnapshot = list.isStaging || page.isSnapshot
        var steps: [ReceivingStep] = []
        if isSnapshot {
            if list.token == nil || !list.isStaging { steps.append(.unstage) }
            steps.append(.stage)
            // A snapshot replaces the store's data only when all of its pages are here.
            if !page.moreComing { steps += Self.replacement }
        } else if !page.isEmpty || page.through != nil {
            steps += [.take, .pass]
        }
        steps.append(.keep)
        if page.hasDigest { steps.append(.compare) }
        self.init(
            steps, in: list, isSnapshot: isSnapshot, isStaging: isSnapshot && page.moreComing, through: page.through)
    }

    /// Replaces a list with the staged part of a snapshot, because no more will come.
    public init(replacingWithStaged list: ReceivingList) {
        self.init(Self.replacement, in: list, isSnapshot: true, isStaging: false, through: nil)
    }

    /// Notes a change that is stored.
    /// - Parameters:
    ///   - isOwn: whether it is an entry of this device that has not come back before.
    ///   - wasApplied: whether it is an entry that was applied before the list was cleared.
    /// - Returns: whether an entry is applied at once. Otherwise it joins the to-apply queue. An entry that the store
    ///   has keeps its place.
    @discardableResult
    public mutating func take(_ change: Change, isOwn: Bool, wasApplied: Bool = false) -> Bool {
        take(ReceivedKind(change.body), at: change.sequence, isOwn: isOwn, wasApplied: wasApplied)
    }

    @discardableResult
    public mutating func take(
        _ kind: ReceivedKind, at sequence: SequenceNumber, isOwn: Bool, wasApplied: Bool = false
    ) -> Bool {
        through = max(through, sequence)
        let isApplied = isOwn || wasApplied
        // A snapshot contains everything, so only entries that were not applied before are new.
        let isLater = isSnapshot || sequence > list.through
        switch kind {
        case .entry: if isLater, !isApplied { news += 1 }
        case .share(let account):
            // In the order of the stream, because a list may change hands more than once.
            owner?.note(account)
            if isLater, !isSnapshot { news += 1 }
        case .discard: break
        }
        return isApplied
    }
}
