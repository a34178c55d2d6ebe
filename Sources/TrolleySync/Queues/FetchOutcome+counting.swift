public import TrolleyWire

// Counting what a fetch has brought. A store reports each stored page and each list without one; the sums are made here.

extension FetchOutcome {
    /// Counts a page that was stored.
    /// - Parameter isNew: whether the store did not have the list.
    public mutating func note(_ page: ChangesPage, stored plan: ReceivingPlan, isNew: Bool) {
        var discarded = 0
        for case .discard(let ids, _) in page.changes.lazy.map({ $0.body }) { discarded += ids.count }
        note(
            StoredPage(
                news: plan.news, isNew: isNew, hasNewToken: plan.list.token != page.token, changes: page.changes.count,
                discarded: discarded, differs: plan.differs))
    }

    /// Counts the reaction to a list without a page.
    /// - Parameter keptAside: the number of unsent entries that were moved to the rejected ones.
    public mutating func note(_ end: ReceivedEnd, _ step: EndStep, keptAside: Int = 0) {
        progressed = true
        if case .tokenRefused = end { expired += 1 }
        if case .leave = step { news += 1 }
        self.keptAside += keptAside
    }

    private mutating func note(_ page: StoredPage) {
        news += page.news + (page.isNew ? 1 : 0)
        if page.hasNewToken || page.changes > 0 || page.differs { progressed = true }
        discarded += page.discarded
        if page.differs { differing += 1 }
    }

    /// Reads `{"outcome": […]}`: what became of each list in a browser. A list with a page has `{"news"?, "isNew"?, "hasNewToken"?,
    /// "changes"?, "discarded"?, "differs"?}`, one without a page `{"step", "isGone", "keptAside"?}`.
    package init(_ object: JSONObject) {
        self.init()
        for list in object.objects("outcome") ?? [] {
            if let step = list.string("step") {
                // The caller knows the reason.
                note(
                    list.bool("isGone") ? .gone(.removed, isUnknown: false) : .tokenRefused(isUnknown: false),
                    step.isText("leave") ? .leave(.removed) : .fetchAfresh, keptAside: list.count("keptAside") ?? 0)
            } else {
                note(
                    StoredPage(
                        news: list.count("news") ?? 0, isNew: list.bool("isNew"),
                        hasNewToken: list.bool("hasNewToken"), changes: list.count("changes") ?? 0,
                        discarded: list.count("discarded") ?? 0, differs: list.bool("differs")))
            }
        }
    }
}

/// A page that a store has stored.
private struct StoredPage {
    /// Changes that are new to the person.
    var news: Int
    /// Whether the store did not have the list.
    var isNew: Bool
    var hasNewToken: Bool
    var changes: Int
    /// Entries that compression has discarded.
    var discarded: Int
    /// Whether the list's digest differs from the service's.
    var differs: Bool
}
