import Logging
import Synchronization
import TrolleyJournal
import TrolleyStore

// Comparing streams with the database.

extension EventHub {
    /// Asks for a comparison soon.
    func requestComparison(_ change: (inout DueComparison) -> Void) {
        let isDue = due.withLock { due in
            change(&due)
            return !due.isEmpty
        }
        if isDue { comparison.request() }
    }

    func compareOnRequest() async {
        var seen = HeadsSeen()
        while !Task.isCancelled {
            await comparison.wait(atMost: BackgroundWork.backstop)
            let due = due.withLock { $0.take() }
            if due.isEmpty || streams == 0 { continue }
            let began = ContinuousClock.now
            metrics.count(.rechecks)
            if due.isWhole {
                await compareAll(&seen)
            } else {
                await compare(due, &seen)
            }
            do { try await Task.sleep(for: RecheckPacing.pause(after: .now - began)) } catch { return }
        }
    }

    /// Streams to compare at a time, so that hints are sent in between.
    private static let streamsPerBatch = 256

    /// Compares the state of all streams with the database.
    private func compareAll(_ seen: inout HeadsSeen) async {
        let all = byAccount
        seen.dropAll(except: Set(all.keys))
        var some: [AccountID: [Subscription]] = [:]
        var count = 0
        for (account, own) in all {
            some[account] = own
            count += own.count
            guard count >= Self.streamsPerBatch else { continue }
            await compare(some, &seen)
            (some, count) = ([:], 0)
        }
        if !some.isEmpty { await compare(some, &seen) }
    }

    /// Compares what signals have named.
    private func compare(_ due: DueComparison, _ seen: inout HeadsSeen) async {
        let all = byAccount
        do throws(StoreError) {
            try await tell(due.appended, all)
            try await compare(due, all)
        } catch {
            logger.warning("the lists' heads could not be read", metadata: ["error": "\(error)"])
            requestComparison { $0.note(.everything) }
            return
        }
        let named = all.filter { due.accounts.contains($0.key) }
        if !named.isEmpty { await compare(named, &seen) }
    }

    /// Tells those who are on lists, and have a stream here, what others have appended.
    private func tell(
        _ appended: [ListID: [StreamNote.Event]], _ all: [AccountID: [Subscription]]
    ) async throws(StoreError) {
        if appended.isEmpty { return }
        for (list, people) in try await store.people(of: Array(appended.keys)) {
            let here = people.filter { all[$0] != nil }
            for event in appended[list] ?? [] { tell(event, on: list, here) }
        }
    }

    /// Compares some lists, for those who are on them or know them.
    private func compare(_ due: DueComparison, _ all: [AccountID: [Subscription]]) async throws(StoreError) {
        if due.lists.isEmpty { return }
        let began = ContinuousClock.now
        let heads = try await store.heads(ofLists: Array(due.lists))
        var concerned: [(subscription: Subscription, lists: Set<ListID>)] = []
        var outdated: [ListID: SequenceNumber] = [:]
        for (account, own) in all {
            let present = heads[account] ?? [:]
            if present.isEmpty, due.left.isEmpty { continue }
            for subscription in own {
                let lists = Set(present.keys).union(subscription.known(among: due.left))
                if lists.isEmpty { continue }
                concerned.append((subscription, lists))
                outdated.merge(subscription.outdated(by: present, on: lists)) { min($0, $1) }
            }
        }
        let authors = outdated.isEmpty ? [] : try await store.authors(after: outdated)
        var late: Set<ListID> = []
        for (subscription, lists) in concerned {
            late.formUnion(
                subscription.compare(
                    with: heads[subscription.account] ?? [:], on: lists, readAfter: began, authors: authors))
        }
        requestComparison { $0.lists.formUnion(late) }
    }

    /// Compares all lists of some accounts.
    private func compare(_ subscriptions: [AccountID: [Subscription]], _ seen: inout HeadsSeen) async {
        do {
            let began = ContinuousClock.now
            let signedIn = try await store.signedIn(subscriptions.values.flatMap { $0.map(\.device) })
            let heads = try await store.heads(of: Array(subscriptions.keys))
            var changed: [AccountID: Set<ListID>] = [:]
            var outdated: [ListID: SequenceNumber] = [:]
            for (account, own) in subscriptions {
                let present = heads[account] ?? [:]
                let changes = seen.changes(of: account, to: present)
                changed[account] = changes
                for each in own { outdated.merge(each.outdated(by: present, changed: changes)) { min($0, $1) } }
            }
            let authors = outdated.isEmpty ? [] : try await store.authors(after: outdated)
            var late: Set<ListID> = []
            for (account, own) in subscriptions {
                let present = heads[account] ?? [:]
                for subscription in own {
                    if signedIn.contains(subscription.device) {
                        late.formUnion(
                            subscription.compare(
                                with: present, readAfter: began, changed: changed[account] ?? [], authors: authors))
                    } else {
                        subscription.end()
                    }
                }
                // Only now: after a failure the comparison is repeated.
                seen.note(present, of: account)
            }
            requestComparison { $0.lists.formUnion(late) }
        } catch {
            logger.warning("the lists' heads could not be read", metadata: ["error": "\(error)"])
            requestComparison { $0.accounts.formUnion(subscriptions.keys) }
        }
    }
}
