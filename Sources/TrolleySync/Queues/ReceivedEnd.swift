public import TrolleyJournal
public import TrolleyWire

// Lists for which a fetch brings no page.

/// The service's statement about a list instead of a page.
public enum ReceivedEnd: Hashable, Sendable {
    /// The service refuses the list's token.
    case tokenRefused(isUnknown: Bool)
    /// The account is no longer on the list, or the service doesn't know the list.
    case gone(ListGoneReason, isUnknown: Bool)
    /// The service has lost the account that had the list. Another account succeeds it on this device.
    case accountLost
}

/// The store's reaction. The list's state afterwards is ``ReceivingList/after(_:)``.
public enum EndStep: Hashable, Sendable {
    /// Delete the token and the staged changes, so that the next fetch brings a snapshot.
    case fetchAfresh
    /// Offer everything that the device has of the person's own list again, which the service has lost (``ListOffer``), and
    /// create the list there. This is decided when the device learns of the loss: once the list exists again, nothing tells
    /// that it was lost.
    case offerAgain
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
    /// - Returns: nil when there is nothing to do.
    public func step(for list: ReceivingList) -> EndStep? {
        if list.isLocal { return nil }
        let isOwn = list.isOwn
        switch self {
        case .tokenRefused(let isUnknown):
            if list.token == nil, !list.isPublished { return nil }
            if isUnknown { return isOwn ? .offerAgain : .keepHere }
            return list.token != nil || isOwn ? .fetchAfresh : nil
        case .gone(let reason, let isUnknown):
            if !isUnknown { return .leave(reason) }
            return isOwn ? .makeAnew : .keepHere
        case .accountLost: return isOwn ? .offerAgain : .keepHere
        }
    }
}

extension ReceivingList {
    /// The list after a step that leaves it on the device with its id.
    public func after(_ step: EndStep) -> ReceivingList {
        var list = self
        list.token = nil
        list.isStaging = false
        switch step {
        // The person's own list is created on the service again, which changes nothing if it exists.
        case .fetchAfresh: list.isPublished = !isOwn
        case .offerAgain: list.isPublished = false
        case .keepHere:
            list.isPublished = false
            list.isLocal = true
            if list.owner?.proof == .unknown { list.owner?.proof = ListOwner.Proof.none }
        case .makeAnew, .leave: break
        }
        return list
    }
}
